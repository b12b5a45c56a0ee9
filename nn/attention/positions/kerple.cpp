#include "nn/attention/positions/kerple.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Tensor steps_between(const Places& places, DType dtype) {
  Tensor apart = distances(places);
  int64_t B = apart.rank() == 3 ? apart.size(0) : 1;
  return abs(apart).to(dtype).reshape({B, 1, places.queries, places.keys});
}

KerpleBias::KerpleBias(const Options& o, Generator&) : options(completed_stage(Kind::position, o, "kerple")) {
  require_heads("KerpleBias", o.heads);
  r1 = full_parameter({o.heads}, 0), r2 = full_parameter({o.heads}, 0);
}

Variable KerpleBias::bias(const Variable& q, const Places& places, double) const {
  Call call(*this);
  Shape heads{1, options.heads, 1, 1};
  Variable strength = -exp(reshape(r1, heads)), shape = reshape(r2, heads);
  Tensor d = steps_between(places, q.dtype());
  if (options.name == "kerple") return call.result("bias", strength * log1p(exp(shape) * Variable(d)));
  Tensor apart = minimum(d, Tensor::full({}, 1, q.dtype())), at_least_one = maximum(d, Tensor::full({}, 1, q.dtype()));
  Variable power = exp(2 * sigmoid(shape) * Variable(log(at_least_one)));  // d^r2, and 1 at d = 0
  return call.result("bias", strength * power * Variable(apart));
}

}  // namespace heed::nn
