#include "nn/attention/additive.h"

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

AdditiveAttention::AdditiveAttention(const Options& o, Generator& rng)
    : options(o),
      query({.in = o.query, .out = o.width, .bias = false}, rng),
      key({.in = o.key, .out = o.width}, rng),
      v(uniform_parameter({o.width}, o.width, rng)) {}

Variable AdditiveAttention::prepare(const Variable& keys) const {
  NameScope scope(where());
  return key(keys);
}

Variable AdditiveAttention::score(const Variable& q, const Variable& prepared) const {
  NameScope scope(where());
  Variable sums = unsqueeze(query(q), 2) + unsqueeze(prepared, 1);  // [B, T, S, A]
  return matmul(tanh(sums), v);
}

Attended AdditiveAttention::operator()(const Variable& q, const Variable& prepared, const Variable& values,
                                       const Tensor& allowed) const {
  NameScope scope(where());
  return attend(score(q, prepared), values, allowed);
}

}  // namespace heed::nn
