#include "autograd/ops_reduce.h"

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_index.h"
#include "autograd/ops_shape.h"
#include "tensor/reduce.h"

namespace heed {
namespace {

Shape kept_shape(const Shape& shape, const Dims& axes) {
  Shape out = shape;
  for (int i = 0; i < shape.rank(); ++i)
    if (axes.rank() == 0) out[i] = 1;
  for (int64_t axis : axes) out[normal_axis("sum", axis, shape.rank())] = 1;
  return out;
}

}  // namespace

Variable sum(const Variable& x, const Dims& axes, bool keep) {
  Shape kept = kept_shape(x.shape(), axes);
  return attach(
      "sum", {x}, x.rank() ? sum(x.value(), axes, keep) : x.value(),
      [shape = x.shape(), kept](Grads& g, const Variable& dy) { g.add(0, expand(reshape(dy, kept), shape)); });
}

Variable mean(const Variable& x, const Dims& axes, bool keep) {
  int64_t remaining = element_count(kept_shape(x.shape(), axes));
  if (x.count() == 0) throw ValueError("mean: needs at least one element; got " + to_string(x.shape()));
  dispatch_float(x.dtype(), "mean", [](auto) {});  // a share of an integer would be cut to 0
  return sum(x, axes, keep) * (static_cast<double>(remaining) / static_cast<double>(x.count()));
}

Variable max(const Variable& x, int64_t axis, bool keep) {
  int last = x.rank() - 1, at = normal_axis("max", axis, x.rank());
  Variable moved = at == last ? x : transpose(x, at, last);             // [.., N]
  Variable y = gather(moved, argmax(moved.value(), -1).unsqueeze(-1));  // [.., 1]
  if (at != last) y = transpose(y, at, last);
  return keep ? y : squeeze(y, at);
}

Variable sum_to(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return attach("sum_to", {x}, sum_to(x.value(), shape),
                [full = x.shape()](Grads& g, const Variable& dy) { g.add(0, expand(dy, full)); });
}

Variable expand(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return attach("expand", {x}, x.value().expand(shape),
                [small = x.shape()](Grads& g, const Variable& dy) { g.add(0, sum_to(dy, small)); });
}

}  // namespace heed
