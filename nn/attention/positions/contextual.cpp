#include "nn/attention/positions/contextual.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Variable contextual_bias(const Variable& q, const Variable& gates, const Variable& table) {
  const int64_t P = table.size(0) - 1;
  Variable p = clamp(cumsum(gates, -1, {.reverse = true}), 0, static_cast<double>(P));
  Tensor below = minimum(floor(p.value()), Tensor::full({}, static_cast<double>(P - 1), q.dtype()));  // n
  Tensor n = below.to(DType::i64), next = (Variable(below) + 1).value().to(DType::i64);
  Variable all = matmul(q, transpose(table, 0, 1)), f = p - Variable(below);  // [B, H, T, P + 1]
  return (1 - f) * gather(all, -1, n) + f * gather(all, -1, next);
}

ContextualPosition::ContextualPosition(const HeadPositionOptions& o, Generator& rng) {
  const int64_t P = completed_stage(Kind::position, o, "contextual").settings.as<Settings>().positions;
  positions = normal_parameter({P + 1, o.query}, 0.1, rng);
}

Variable ContextualPosition::bias_of_scores(const Variable& scores, const Variable& queries,
                                            const Tensor& allowed) const {
  Call call(*this);
  Variable gates = sigmoid(scores);
  if (allowed.defined()) gates = masked_fill(gates, logical_not(allowed), 0);
  return call.result("scores", contextual_bias(queries, gates, positions));
}

}  // namespace heed::nn
