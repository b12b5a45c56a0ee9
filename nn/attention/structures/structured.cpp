#include "nn/attention/structures/structured.h"

#include "autograd/ops.h"
#include "nn/padding.h"
#include "nn/penalties.h"

namespace heed::nn {

StructuredEmbedding::StructuredEmbedding(const Options& o, Generator& rng)
    : options(o),
      hidden({.in = o.input, .out = o.hidden, .bias = false}, rng),
      attention({.score = {.query = o.hidden, .key = o.hidden}, .rows = o.rows}, rng) {}

Attended StructuredEmbedding::operator()(const Variable& h_, const Tensor& words) const {
  Call call(*this);
  Variable h = without_padding(h_, words);
  Attended seen = attention(tanh(hidden(h)), h, words);
  if (options.penalty > 0 && Penalties::active())
    Penalties::add("redundancy", mean(redundancy(seen.weights)), options.penalty, MeanOver::sentences);
  return {call.result("matrix", seen.context), call.result("weights", seen.weights)};
}

Variable redundancy(const Variable& weights) {
  Variable overlap = matmul(weights, transpose(weights, -1, -2));  // [B, R, R]
  return sum(square(overlap - Variable(Tensor::eye(weights.size(-2)).to(weights.dtype()))), {-2, -1});
}

}  // namespace heed::nn
