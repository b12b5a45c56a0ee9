#include "nn/attention/mixers/block_recurrent.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

constexpr double kSmallStart = 0.1;

// Variance 1 / in, from a normal distribution that is cut off at two deviations.
Linear recurrent_projection(int64_t in, int64_t out, Generator& rng) {
  constexpr double kLeftByTheCut = 0.87962566103423978;  // standard deviation of what lies within two
  Linear layer({.in = in, .out = out, .bias = false}, rng);
  const double std = 1 / std::sqrt(static_cast<double>(in)) / kLeftByTheCut;
  const Shape shape = layer.weight.shape();
  layer.weight.set_value(init::truncated_normal(shape, rng, {.std = std}, {-2 * std, 2 * std}, layer.weight.dtype()));
  return layer;
}

// The last `most` entries of an axis.
Variable last_entries(const Variable& x, int axis, int64_t most) {
  return slice(x, axis, std::max<int64_t>(0, x.size(axis) - most), x.size(axis));
}

}  // namespace

BlockRecurrentMixer::BlockRecurrentMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "block_recurrent")),
      settings(options.settings.as<Settings>()),
      q_proj(recurrent_projection(options.heads * head_width(options), o.query, rng)),
      k_proj(recurrent_projection(o.query, o.query, rng)),
      v_proj(recurrent_projection(o.query, o.query, rng)),
      cross_proj(recurrent_projection(o.query, o.query, rng)),
      out_proj(recurrent_projection(2 * o.query, o.query, rng)),
      state_q_proj(recurrent_projection(o.query, o.query, rng)),
      state_k_proj(recurrent_projection(o.query, o.query, rng)),
      state_v_proj(recurrent_projection(o.query, o.query, rng)),
      state_cross_proj(recurrent_projection(o.query, o.query, rng)),
      state_out_proj(recurrent_projection(2 * o.query, o.query, rng)),
      scales(ones_parameter({4, o.heads})),
      state_norm(ones_parameter({o.query})),
      first_states(normal_parameter({settings.states, o.query}, kSmallStart, rng)),
      ids(normal_parameter({settings.states, o.query}, 1, rng)),
      gate(normal_parameter({o.query}, kSmallStart, rng)) {}

void BlockRecurrentMixer::visit(Visitor& v) {
  v.child("q_proj", q_proj), v.child("k_proj", k_proj), v.child("v_proj", v_proj);
  v.child("cross_proj", cross_proj), v.child("out_proj", out_proj);
  v.child("state_q_proj", state_q_proj), v.child("state_k_proj", state_k_proj), v.child("state_v_proj", state_v_proj);
  v.child("state_cross_proj", state_cross_proj), v.child("state_out_proj", state_out_proj);
  v.parameter("scales", scales), v.parameter("state_norm", state_norm);
  v.parameter("first_states", first_states), v.parameter("ids", ids), v.parameter("gate", gate);
}

Variable BlockRecurrentMixer::begun(int64_t B) const {
  return expand(unsqueeze(first_states, 0), {B, settings.states, options.query});
}

Variable BlockRecurrentMixer::named(const Variable& states) const {
  return rms_norm(states, state_norm, {.eps = 1e-6}) + ids;
}

Variable BlockRecurrentMixer::scores(const Variable& q, const Variable& k, Reading which) const {
  Variable a = reshape(select(scales, 0, which), {1, options.heads, 1, 1});
  return matmul(a * unit_length(q), transpose(unit_length(k), -2, -1));
}

Variable BlockRecurrentMixer::crossed(const Variable& queries, const Variable& states) const {
  if (settings.states == 0) return queries * 0;
  Variable n = named(states);
  auto heads = [&](const Linear& layer) { return split_heads(layer(n), options.heads); };
  return attend(scores(queries, heads(state_k_proj), cross), heads(state_v_proj)).context;
}

Variable BlockRecurrentMixer::after_block(const Variable& states, const Variable& k, const Variable& v,
                                          const Tensor& words) const {
  if (settings.states == 0) return states;
  Variable n = named(states);
  auto heads = [&](const Linear& layer) { return split_heads(layer(n), options.heads); };
  Variable of_states = attend(scores(heads(state_q_proj), heads(state_k_proj), self), heads(state_v_proj)).context;
  Tensor allowed = words.defined() ? words.unsqueeze(1).unsqueeze(1) : Tensor();
  Variable of_words = attend(scores(heads(state_cross_proj), k, own), v, allowed).context;
  Variable z = state_out_proj(concat({join_heads(of_states), join_heads(of_words)}, -1)), g = sigmoid(gate);
  Variable next = g * states + (1 - g) * z;
  if (!words.defined()) return next;
  const int64_t count = words.size(1);  // the block itself is the second half, or all of them
  const Tensor block = words.slice(1, std::max<int64_t>(0, count - settings.window), count);
  const Tensor some = greater(amax(block.to(DType::f32), {1}), 0);  // [B]
  return where(some.unsqueeze(-1).unsqueeze(-1), next, states);
}

Mixed BlockRecurrentMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t T = x.size(1), W = settings.window, H = options.heads;
  Variable k = split_heads(k_proj(x), H), v = split_heads(v_proj(x), H), crossing = split_heads(cross_proj(x), H);
  Variable q = split_heads(q_proj(x), H), states = begun(x.size(0));
  std::vector<Variable> locals, crosses;
  for (int64_t a = 0; a < T; a += W) {
    const int64_t b = std::min(a + W, T), from = std::max<int64_t>(0, a - W),
                  to = options.causal ? b : std::min(b + W, T);
    const Places places{.queries = b - a, .keys = to - from, .first_query = a, .first_key = from};
    Tensor near = window_mask(places, W).unsqueeze(0).unsqueeze(0);
    if (options.causal) {  // keys before the query, without its own place: each key counts as one place later
      const Places later{.queries = b - a, .keys = to - from, .first_query = a, .first_key = from + 1};
      near = both(near, causal_mask(later).unsqueeze(0).unsqueeze(0));
    }
    if (in.words.defined()) near = both(near, in.words.slice(1, from, to).unsqueeze(1).unsqueeze(1));
    Variable e = scores(slice(q, 2, a, b), slice(k, 2, from, to), local);
    locals.push_back(attend(e, slice(v, 2, from, to), near).context);
    crosses.push_back(crossed(slice(crossing, 2, a, b), states));
    if (b == T) break;  // nobody reads the states after the last block
    Tensor words = in.words.defined() ? in.words.slice(1, from, b).contiguous() : Tensor();
    states = after_block(states, slice(k, 2, from, b), slice(v, 2, from, b), words);
  }
  Variable y = out_proj(concat({join_heads(concat(locals, 2)), join_heads(concat(crosses, 2))}, -1));
  return {call.result("output", y)};
}

std::unique_ptr<AttentionMemory> BlockRecurrentMixer::memory() const { return std::make_unique<StateMemory>(); }

// The memory has S, the keys and the values of the last 2 W words, which of these are words, and the number of places
// since the first word of each row: [B, M, D], [B, H, n, K] twice, [B, n], [B, 1]. Padding before it begins no block.
Mixed BlockRecurrentMixer::continued(const Variable& given, AttentionMemory& memory, const MixerInput& in) const {
  if (!options.causal) return Mixer::continued(given, memory, in);
  Call call(*this);
  StateMemory& kept = state_memory("block_recurrent", memory);
  const int64_t B = given.size(0), n = given.size(1), W = settings.window, H = options.heads;
  const Tensor words = in.words.defined() ? of_last(in.words, n) : Tensor::full({B, n}, 1, DType::boolean);
  Variable x = words_only(given, words);
  Variable q = split_heads(q_proj(x), H), crossing = split_heads(cross_proj(x), H);
  Variable k = split_heads(k_proj(x), H), v = split_heads(v_proj(x), H), there(words.to(x.dtype()));
  std::vector<Variable> outputs;
  for (int64_t t = 0; t < n; ++t) {
    std::vector<Variable>& s = kept.state;
    auto one = [&](const Variable& y) { return slice(y, 2, t, t + 1); };
    const Variable now = slice(there, 1, t, t + 1);
    if (s.empty())
      s = {begun(B), one(k), one(v), now, now * 0};
    else
      s = {s[0], last_entries(concat({s[1], one(k)}, 2), 2, 2 * W), last_entries(concat({s[2], one(v)}, 2), 2, 2 * W),
           last_entries(concat({s[3], now}, 1), 1, 2 * W), s[4]};
    const Tensor near = greater(s[3].value(), 0);
    // The W places before the own one, which is the last.
    Tensor before = last_entries(concat({slice(s[3], 1, 0, near.size(1) - 1), now * 0}, 1), 1, W + 1).value();
    auto window = [&](const Variable& y) { return last_entries(y, 2, W + 1); };
    Variable of_words =
        attend(scores(one(q), window(s[1]), local), window(s[2]), greater(before, 0).unsqueeze(1).unsqueeze(1)).context;
    outputs.push_back(out_proj(concat({join_heads(of_words), join_heads(crossed(one(crossing), s[0]))}, -1)));
    Tensor places = s[4].value().clone(), ends = Tensor::zeros({B, 1, 1}, DType::boolean);
    for (int64_t b = 0; b < B; ++b) {
      if (places.at({b, 0}) == 0 && words.at({b, t}) == 0) continue;
      const auto place = static_cast<int64_t>(places.at({b, 0})) + 1;
      places.set({b, 0}, static_cast<double>(place)), ends.set({b, 0, 0}, place % W == 0);
    }
    s[4] = Variable(places);
    if (amax(ends.to(DType::f32)).item() > 0) s[0] = where(ends, after_block(s[0], s[1], s[2], near), s[0]);
  }
  kept.append({unsqueeze(x, 1), {}});
  return {call.result("output", concat(outputs, 1))};
}

}  // namespace heed::nn
