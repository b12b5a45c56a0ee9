#include "nn/attention/mixers/yoco.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/attention/attend.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/recurrences/retention.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

Variable turned_heads(const Variable& x, int64_t heads, int64_t first) {  // [B, n, D] -> [B, H, n, K]
  Variable y = reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads});
  const RopeOptions turn{.layout = RopeLayout::interleaved, .thetas = retention_angles(y.size(3) / 2), .first = first};
  return transpose(rotate_pairs(y, turn), 1, 2);
}

Linear yoco_layer(int64_t in, int64_t out, Generator& rng) {
  return Linear({.in = in, .out = out, .bias = false}, rng);
}

}  // namespace

GatedRetention::GatedRetention(const MixerOptions& o, int64_t words, Generator& rng)
    : RecurrentMixer(o, "yoco"),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      decay(yoco_layer(o.query, o.heads, rng)),
      gate(square_layer(o.query, rng)),
      output(square_layer(o.query, rng)),
      chunk(words) {
  const double small = std::exp2(-2.5);
  for (Linear* layer : {&query, &key, &value, &decay, &gate})
    layer->weight.set_value(init::xavier_uniform(layer->weight.shape(), rng, small, layer->weight.dtype()));
  output.weight.set_value(init::xavier_uniform(output.weight.shape(), rng, 0.5, output.weight.dtype()));
}

DecayedSums GatedRetention::words_of(const Variable& x, int64_t first) const {
  const int64_t H = options.heads;
  Variable log_a = -softplus(-decay(x)) / 16;  // log sigmoid(z) = -softplus(-z)
  return {turned_heads(query(x), H, first),
          turned_heads(key(x), H, first) / std::sqrt(static_cast<double>(head_width(options))),
          split_heads(value(x), H), split_heads(log_a, H)};
}

Variable GatedRetention::pass(const Variable& x, const Tensor& words, int64_t first,
                              std::vector<Variable>& state) const {
  SumsRead read = sums_of(without_padding(words_of(x, first), words), chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return output(silu(gate(x)) * join_heads(rms_norm(read.output)));
}

YocoMixer::YocoMixer(const MixerOptions& o, Generator& rng) : options(completed_stage(Kind::mixer, o, "yoco")) {
  const auto settings = options.settings.as<Settings>();
  const int64_t D = o.query, middle = settings.lower < 0 ? o.layers / 2 : settings.lower;
  if (head_width(options) % 2 != 0)
    throw ValueError(
        fmt::format("yoco: it turns pairs of features, so heads need an even width; got {}", head_width(options)));
  if (o.layer < o.layers && o.layer < middle) {
    retention = std::make_unique<GatedRetention>(options, settings.chunk, rng);
    return;
  }
  auto layer = [&] { return std::make_unique<Linear>(yoco_layer(D, D, rng)); };
  if (o.layer == middle || o.layers == 0) {
    norm = std::make_unique<RMSNorm>(RMSNorm::Options{.shape = {D}}, rng);
    k_proj = layer(), v_proj = layer();
  }
  q_proj = layer(), out_proj = layer();
}

void YocoMixer::visit(Visitor& v) {
  if (retention) v.child("retention", *retention);
  if (norm) v.child("norm", *norm), v.child("k_proj", *k_proj), v.child("v_proj", *v_proj);
  if (q_proj) v.child("q_proj", *q_proj), v.child("out_proj", *out_proj);
}

Variable YocoMixer::keys_of(const Variable& x, int64_t first) const {
  Variable h = (*norm)(x);
  return concat({join_heads(turned_heads((*k_proj)(h), options.heads, first)), (*v_proj)(h)}, -1);
}

Mixed YocoMixer::read(const Variable& x, const Variable& kv, const MixerInput& in) const {
  if (norm && in.passed) in.passed->left["yoco"] = kv;
  const int64_t n = x.size(1), S = kv.size(1), D = x.size(2);
  Variable k = split_heads(slice(kv, -1, 0, D), options.heads), v = split_heads(slice(kv, -1, D, 2 * D), options.heads);
  Tensor allowed = in.words.defined() ? in.words.unsqueeze(1).unsqueeze(1) : Tensor();  // [B, 1, 1, S]
  if (options.causal)
    allowed = both(allowed, causal_mask({.queries = n, .keys = S, .first_query = S - n}).unsqueeze(0).unsqueeze(0));
  Attended seen = attend(scaled_scores(turned_heads((*q_proj)(x), options.heads, S - n), k), v, allowed);
  return {(*out_proj)(join_heads(seen.context)), in.weights ? seen.weights : Variable()};
}

Mixed YocoMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  if (retention) return retention->mix(x, in);
  if (!norm && !(in.passed && in.passed->left.contains("yoco")))
    throw ValueError("yoco: a layer of the upper half reads the keys that the middle of its stack passes on; got none");
  Mixed mixed = read(x, norm ? keys_of(x, 0) : in.passed->left.at("yoco"), in);
  mixed.output = call.result("output", mixed.output);
  return mixed;
}

std::unique_ptr<AttentionMemory> YocoMixer::memory() const {
  return retention ? retention->memory() : std::make_unique<StateMemory>();
}

Mixed YocoMixer::continued(const Variable& given, AttentionMemory& memory, const MixerInput& in) const {
  Call call(*this);
  if (retention) return retention->continued(given, memory, in);
  StateMemory& kept = state_memory("yoco", memory);
  Variable x = words_only(given, of_last(in.words, given.size(1)));
  if (norm) {
    Variable fresh = keys_of(x, kept.words());
    kept.state = {kept.state.empty() ? fresh : concat({kept.state[0], fresh}, 1)};
  }
  kept.append({unsqueeze(x, 1), {}});
  if (norm) return read(x, kept.state[0], in);
  return mix(x, in);  // the others only count the words
}

}  // namespace heed::nn
