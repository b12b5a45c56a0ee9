#include "nn/attention/recurrences/mega.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/recurrences/diagonal_scan.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

constexpr double kSmall = 0.02;  // standard deviation of weights

Linear small_layer(int64_t in, int64_t out, Generator& rng) {
  Linear layer({.in = in, .out = out}, rng);
  layer.weight = normal_parameter({out, in}, kSmall, rng), layer.bias = zeros_parameter({out});
  return layer;
}

}  // namespace

MovingAverages::MovingAverages(const Options& o, Generator& rng)
    : options(o),
      alpha(normal_parameter({o.features, o.averages}, 0.2, rng)),
      delta(normal_parameter({o.features, o.averages}, 0.2, rng)),
      beta(normal_parameter({o.features, o.averages}, kSmall, rng)),
      gamma(normal_parameter({o.features, o.averages}, 1, rng)) {
  Tensor turns = Tensor::empty({o.averages}, beta.dtype());
  for (int64_t n = 0; n < o.averages; ++n) turns.set({n}, n % 2 == 0 ? 1 : -1);
  beta.set_value(add(beta.value(), turns));
}

Variable MovingAverages::written(const Variable& n) const { return sigmoid(alpha) * beta * unsqueeze(n, -1); }

Variable MovingAverages::states(const Variable& n, const Tensor& words, int64_t chunk, const Variable& before) const {
  const int64_t D = options.features, N = options.averages;
  Variable decay = reshape(1 - sigmoid(delta) * sigmoid(alpha), {1, 1, D, N});
  if (words.defined()) decay = masked_fill(expand(decay, {n.size(0), n.size(1), D, N}), padding_of(words, 4), 1);
  return diagonal_scan(decay, written(n), chunk, before);
}

Variable MovingAverages::summed(const Variable& h) const {
  return sum(gamma * h, {-1}) / std::sqrt(static_cast<double>(options.averages));
}

MegaMixer::MegaMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "mega")),
      settings(options.settings.as<Settings>()),
      norm({.shape = {o.query}}, rng),
      average({.features = o.query, .averages = settings.state}, rng),
      value(small_layer(o.query, settings.inner * o.query, rng)),
      mixing(small_layer(o.query, (2 + settings.inner) * o.query + settings.width, rng)),
      gain(normal_parameter({2, settings.width}, kSmall, rng)),
      shift(zeros_parameter({2, settings.width})),
      bias(normal_parameter({2 * settings.max_source - 1}, kSmall, rng)),
      output(small_layer(settings.inner * o.query, o.query, rng)) {
  average.omega = normal_parameter({o.query}, 1, rng);
  if (!o.causal) from_right = std::make_unique<MovingAverages>(average.options, rng);
}

MegaMixer::Averaged MegaMixer::averaged(const Variable& n, const Tensor& words, const Variable& before) const {
  Variable h = average.states(n, words, settings.chunk, before), y = average.summed(h);
  if (from_right) {
    Variable turned = flip(n, {1});
    Variable later = from_right->states(turned, words.defined() ? flip(words, {1}) : words, settings.chunk, {});
    y = y + flip(from_right->summed(later - from_right->written(turned)), {1});
  }
  return {y, slice(h, 1, n.size(1) - 1, n.size(1))};
}

Mixed MegaMixer::attended(const Variable& x, const Tensor& all_words, std::vector<Variable>& state) const {
  const int64_t D = options.query, V = settings.inner * D, Z = settings.width, n = x.size(1);
  Tensor words = of_last(all_words, n);
  Variable normed = words_only(norm(x), words), v = silu(value(normed));
  const bool begins = state.empty();
  Averaged y = averaged(normed, words, begins ? Variable() : state[0]);
  std::vector<Variable> part = split(mixing(silu(y.output + average.omega * normed)), {D, Z, V, D}, -1);
  Variable z = silu(part[1]), r = silu(part[2]);
  auto of = [&](int64_t i) { return z * select(gain, 0, i) + select(shift, 0, i); };
  Variable k = of(1);
  if (!begins) k = concat({state[1], k}, 1), v = concat({state[2], v}, 1);
  state = {y.last, k, v};
  const int64_t S = k.size(1);
  require_source(options, settings.max_source, S);
  std::vector<int64_t> distance;
  for (int64_t t = S - n; t < S; ++t)
    for (int64_t s = 0; s < S; ++s) distance.push_back(settings.max_source - 1 + s - t);
  Variable e = scaled_scores(of(0), k) + reshape(index_select(bias, 0, Tensor::from(distance, {n * S})), {n, S});
  Tensor allowed = all_words.defined() ? all_words.unsqueeze(1) : Tensor();
  if (options.causal)
    allowed = both(allowed, causal_mask({.queries = n, .keys = S, .first_query = S - n}).unsqueeze(0));
  Attended c = attend(e, v, allowed);
  Variable changed = silu(part[3] + output(r * c.context));
  return {x + sigmoid(part[0]) * (changed - x), unsqueeze(c.weights, 1)};
}

Mixed MegaMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  std::vector<Variable> state;
  Mixed y = attended(x, in.words, state);
  return {call.result("output", y.output), in.weights ? y.weights : Variable()};
}

std::unique_ptr<AttentionMemory> MegaMixer::memory() const {
  if (options.causal) return std::make_unique<StateMemory>();
  return Mixer::memory();
}

Mixed MegaMixer::continued(const Variable& given, AttentionMemory& memory, const MixerInput& in) const {
  if (!options.causal) return Mixer::continued(given, memory, in);
  Call call(*this);
  StateMemory& kept = state_memory("mega", memory);
  Variable x = words_only(given, of_last(in.words, given.size(1)));
  Mixed y = attended(x, in.words, kept.state);
  kept.append({unsqueeze(x, 1), {}});
  return {call.result("output", y.output), in.weights ? y.weights : Variable()};
}

}  // namespace heed::nn
