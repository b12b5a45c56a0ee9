#include "nn/attention/mixers/contextual_position.h"

#include "autograd/ops.h"
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

ContextualPosition::ContextualPosition(const MixerOptions& o, Generator& rng)
    : OwnHeadsMixer(o, "contextual", rng),
      positions(normal_parameter({options.settings.as<Settings>().positions + 1, o.query / o.heads}, 0.1, rng)) {}

Attended ContextualPosition::read(const OwnHeads& h) const {
  Variable e = h.scores(), gates = sigmoid(e);
  if (h.allowed.defined()) gates = masked_fill(gates, logical_not(h.allowed), 0);
  return attend(e + contextual_bias(h.q, gates, positions), h.v, h.allowed);
}

}  // namespace heed::nn
