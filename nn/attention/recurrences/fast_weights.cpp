#include "nn/attention/recurrences/fast_weights.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/linear.h"

namespace heed::nn {
namespace {

// f / sum f = softmax(log f), which stays right where elu(x) + 1 as written would round to 0.
Variable shares(const Variable& x) { return softmax(linear_log_features(x), -1); }

}  // namespace

FastWeightsMixer::FastWeightsMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "fast_weights"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      strength({.in = o.query, .out = o.heads, .bias = false}, rng),
      output(square_layer(o.query, rng)) {
  head_width(options);
}

DecayedSums FastWeightsMixer::words_of(const Variable& x) const {
  const int64_t H = options.heads;
  Variable q = shares(split_heads(query(x), H)) / std::sqrt(static_cast<double>(head_width(options)));
  return {q, shares(split_heads(key(x), H)), split_heads(value(x), H), {}, split_heads(sigmoid(strength(x)), H)};
}

Variable FastWeightsMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  SumsRead read = sums_of(without_padding(words_of(x), words), settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return output(join_heads(read.output));
}

}  // namespace heed::nn
