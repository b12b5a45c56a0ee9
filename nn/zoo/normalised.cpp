#include "nn/zoo/normalised.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/positions/rope.h"
#include "nn/init.h"
#include "nn/norm.h"
#include "nn/padding.h"

namespace heed::nn {
namespace {

constexpr double kFirstRate = 0.05;

double root(int64_t n) { return std::sqrt(static_cast<double>(n)); }

Variable filled(int64_t n, double value) {
  return Variable(Tensor::full({n}, value, parameter_dtype()), Variable::kRequiresGrad);
}

// Rows of normal numbers point in all directions alike.
Linear sphere(int64_t in, int64_t out, Generator& rng) {
  Linear layer({.in = in, .out = out, .bias = false}, rng);
  layer.weight = normal_parameter({out, in}, 1 / root(in), rng);
  return layer;
}

}  // namespace

NormalisedLayer::NormalisedLayer(const Options& given, Generator& rng)
    : options(given),
      query(sphere(given.model, given.model, rng)),
      key(sphere(given.model, given.model, rng)),
      value(sphere(given.model, given.model, rng)),
      output(sphere(given.model, given.model, rng)),
      up(sphere(given.model, 2 * (given.inner ? given.inner : 4 * given.model), rng)),
      down(sphere(given.inner ? given.inner : 4 * given.model, given.model, rng)),
      attention_rate(filled(given.model, 1 / root(given.model))),
      feed_rate(filled(given.model, 1 / root(given.model))),
      scale_heads(filled(given.model, 1 / root(given.model))),
      scale_inner(filled(up.options.out, 1)) {
  head_width({.query = options.model, .heads = options.heads});
  normalise();
}

void NormalisedLayer::normalise() {
  auto to_length_1 = [](Linear& layer, int axis) {  // along D: axis 1 of [N, D], axis 0 of [D, N]
    const Variable w = layer.weight.detach();
    const Variable rows = axis == 1 ? unit_rows(w) : transpose(unit_rows(transpose(w, 0, 1)), 0, 1);
    layer.weight.set_value(rows.value().contiguous());
  };
  for (Linear* layer : {&query, &key, &value, &up}) to_length_1(*layer, 1);
  for (Linear* layer : {&output, &down}) to_length_1(*layer, 0);
}

Variable NormalisedLayer::moved(const Variable& h, const Variable& target, const Variable& rate) const {
  const Variable a = abs(rate * (kFirstRate * root(options.model))), from = unit_rows(h);
  return unit_rows(from + a * (unit_rows(target) - from));
}

Variable NormalisedLayer::attended(const Variable& h, const Tensor& words) const {
  const int64_t D = options.model, H = options.heads, K = D / H, B = h.size(0), T = h.size(1);
  const Variable s = reshape(scale_heads * root(D), {H, K});
  auto placed = [&](const Variable& x) {  // [B, T, D] -> [B, H, T, K]
    Variable turned = rotate_pairs(reshape(x, {B, T, H, K}), {.layout = RopeLayout::interleaved});
    return transpose(s * unit_rows(turned), 1, 2);
  };
  const Tensor allowed = allowed_words({.causal = options.causal}, words, T);
  Variable scores = matmul(placed(query(h)), transpose(placed(key(h)), -2, -1)) * root(K);
  return output(join_heads(attend(scores, split_heads(value(h), H), allowed).context));
}

Variable NormalisedLayer::operator()(const Variable& given, const Tensor& words) const {
  Call call(*this);
  const Variable h = without_padding(given, words), x = moved(h, attended(h, words), attention_rate);
  const std::vector<Variable> uv = chunk(scale_inner * root(options.model) * up(x), 2, -1);
  return call.result("output", moved(x, down(uv[0] * silu(uv[1])), feed_rate));
}

}  // namespace heed::nn
