#include "nn/attention/recurrences/polynomial.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr double kLeastWeight = 1e-6;

Variable products_of_two(const Variable& x) {  // [.., F] -> [.., F^2]
  Shape shape = x.shape();
  shape[shape.rank() - 1] *= x.size(-1);
  return reshape(unsqueeze(x, -1) * unsqueeze(x, -2), shape);
}

}  // namespace

Variable taylor_features(const Variable& x) {
  const double F = static_cast<double>(x.size(-1));
  Shape one = x.shape();
  one[one.rank() - 1] = 1;
  return concat({Variable(Tensor::ones(one, x.dtype())), x / std::pow(F, 0.25), products_of_two(x) / std::sqrt(2 * F)},
                -1);
}

Variable square_features(const Variable& x) { return products_of_two(x) / std::sqrt(static_cast<double>(x.size(-1))); }

PolynomialMixer::PolynomialMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "based"),
      settings(options.settings.as<Settings>()),
      query({.in = o.query, .out = o.heads * settings.features, .bias = false}, rng),
      key({.in = o.query, .out = o.heads * settings.features, .bias = false}, rng),
      value(square_layer(o.query, rng)),
      output(square_layer(o.query, rng)) {
  head_width(options);
  if (options.name != "rebased") return;
  query_gain = ones_parameter({settings.features}), query_bias = zeros_parameter({settings.features});
  key_gain = ones_parameter({settings.features}), key_bias = zeros_parameter({settings.features});
}

DecayedSums PolynomialMixer::words_of(const Variable& x) const {
  const int64_t H = options.heads;
  Variable q = split_heads(query(x), H), k = split_heads(key(x), H), v = split_heads(value(x), H);
  Variable values = concat({v, Variable(Tensor::ones({v.size(0), H, v.size(2), 1}, v.dtype()))}, -1);
  if (options.name != "rebased") return {taylor_features(q), taylor_features(k), values};
  return {square_features(layer_norm(q, query_gain, query_bias)), square_features(layer_norm(k, key_gain, key_bias)),
          values};
}

Variable PolynomialMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  SumsRead read = sums_of(without_padding(words_of(x), words), settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  const int64_t K = read.output.size(-1) - 1;
  Variable total = slice(read.output, -1, K, K + 1);
  return output(join_heads(slice(read.output, -1, 0, K) / (total + kLeastWeight)));
}

}  // namespace heed::nn
