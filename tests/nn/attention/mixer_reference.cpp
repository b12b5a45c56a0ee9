#include "tests/nn/attention/mixer_reference.h"

#include <cmath>

namespace heed::nn_test {

Variable full_attention(const Variable& q, const Variable& k, const Variable& v, const Tensor& allowed) {
  Variable scores = matmul(q, transpose(k, -2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
  if (allowed.defined()) scores = masked_fill(scores, logical_not(allowed), -HUGE_VAL);
  return matmul(softmax(scores), v);
}

Tensor full_attention(const nn::FourProjections& p, const Variable& x, bool causal) {
  Tensor allowed = causal ? lower_triangle(x.size(1)) : Tensor();
  return p.output(full_attention(p.queries(x), p.keys(x), p.values(x), allowed)).value();
}

Tensor lower_triangle(int64_t T) { return greater(tril(Tensor::ones({T, T})), 0); }

void set(Variable& parameter, const Tensor& value) { parameter.set_value(value.to(parameter.dtype()).clone()); }

}  // namespace heed::nn_test
