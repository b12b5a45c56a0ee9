#include "nn/attention/recurrences/delta_rule.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/linear.h"
#include "tensor/range.h"

namespace heed::nn {
namespace {

constexpr double kLeastSquare = 1e-6;  // a vector of zeros stays zeros, with finite gradients

// f / sum f = softmax(log f), which stays right where elu(x) + 1 as written would round to 0.
Variable shares(const Variable& x) { return softmax(linear_log_features(x), -1); }

}  // namespace

Variable unit_length(const Variable& x) {
  Variable squares = sum(square(x), {-1}, true);
  Tensor units = unit_of(largest_out_of_range(x.value(), squares.value(), {-1}, 0));
  if (!units.defined()) return x * rsqrt(squares + kLeastSquare);
  Variable in = x / Variable(units);  // the squares of some rows overflow
  return in * rsqrt(sum(square(in), {-1}, true) + Variable(div(div(kLeastSquare, units), units)));
}

DeltaRuleMixer::DeltaRuleMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "delta_rule"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      strength({.in = o.query, .out = o.heads}, rng),
      output(square_layer(o.query, rng)) {
  head_width(options);
}

DecayedSums DeltaRuleMixer::words_of(const Variable& x) const {
  const int64_t H = options.heads;
  Variable q = split_heads(query(x), H), k = split_heads(key(x), H), b = split_heads(sigmoid(strength(x)), H);
  if (options.name == "fast_weights") return {shares(q), shares(k), split_heads(value(x), H), {}, b};
  const double scale = 1 / std::sqrt(static_cast<double>(head_width(options)));
  return {unit_length(silu(q)) * scale, unit_length(silu(k)), split_heads(value(x), H), {}, b};
}

Variable DeltaRuleMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  SumsRead read = sums_of(without_padding(words_of(x), words), settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return output(join_heads(rms_norm(read.output)));
}

}  // namespace heed::nn
