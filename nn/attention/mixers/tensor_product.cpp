#include "nn/attention/mixers/tensor_product.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/positions/rope.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// A [B, n, H R], B [B, n, R K] -> their products summed over R, divided by R: [B, H, n, K]
Variable product_of(const Variable& a, const Variable& b, int64_t H, int64_t R) {
  const Variable of_heads = reshape(a, {a.size(0), a.size(1), H, R});
  return transpose(matmul(of_heads, in_parts(b, R)), 1, 2) / static_cast<double>(R);
}

// Of `inner` numbers for each of `outer` vectors, drawn as the authors draw it: Xavier's rule for a tensor
// [D, outer, inner].
Linear factor_layer(int64_t D, int64_t outer, int64_t inner, Generator& rng) {
  Linear layer({.in = D, .out = outer * inner, .bias = false}, rng);
  const double bound = std::sqrt(6 / static_cast<double>(inner * (outer + D)));
  layer.weight.set_value(init::uniform(layer.weight.shape(), rng, {-bound, bound}, layer.weight.dtype()));
  return layer;
}

}  // namespace

TensorProductMixer::TensorProductMixer(const MixerOptions& o, Generator& rng)
    : RowsMixer(o, "tensor_product"),
      settings(options.settings.as<Settings>()),
      query_heads(factor_layer(o.query, o.heads, settings.query_rank, rng)),
      key_heads(factor_layer(o.query, o.heads, settings.key_rank, rng)),
      value_heads(factor_layer(o.query, o.heads, settings.value_rank, rng)),
      query_features(factor_layer(o.query, settings.query_rank, head_width(options), rng)),
      key_features(factor_layer(o.query, settings.key_rank, head_width(options), rng)),
      value_features(factor_layer(o.query, settings.value_rank, head_width(options), rng)),
      output(bare_layer(o.query, o.query, rng)) {
  if (settings.rope != 0 && head_width(options) % 2 != 0)
    throw ValueError(fmt::format("tensor_product: rotated heads must have an even width; got {}; hint: rope=0",
                                 head_width(options)));
  output.weight.set_value(Tensor::zeros(output.weight.shape(), output.weight.dtype()));
}

Variable TensorProductMixer::rotated(const Variable& b, int64_t rank, const Places& p) const {
  if (settings.rope == 0) return b;
  return reshape(rotate_pairs(in_parts(b, rank), {.first = p.first_query, .at = p.query_at}), b.shape());
}

int64_t TensorProductMixer::row_width() const {
  return (settings.key_rank + settings.value_rank) * (options.heads + head_width(options));
}

Variable TensorProductMixer::rows_of(const Variable& x, const Places& p) const {
  return concat({key_heads(x), rotated(key_features(x), settings.key_rank, p), value_heads(x), value_features(x)}, -1);
}

Variable TensorProductMixer::queries_of(const Variable& x, const Places& p) const {
  const int64_t R = settings.query_rank;
  Variable q = product_of(query_heads(x), rotated(query_features(x), R, p), options.heads, R);
  return q / std::sqrt(static_cast<double>(q.size(-1)));
}

HeadMemory TensorProductMixer::keys_of(const Variable& rows) const {
  const int64_t H = options.heads, K = head_width(options), Rk = settings.key_rank, Rv = settings.value_rank;
  const std::vector<Variable> f = split(rows, {H * Rk, Rk * K, H * Rv, Rv * K}, -1);
  return {product_of(f[0], f[1], H, Rk), product_of(f[2], f[3], H, Rv)};
}

Variable TensorProductMixer::output_of(const Variable& contexts) const { return output(join_heads(contexts)); }

}  // namespace heed::nn
