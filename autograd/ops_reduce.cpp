#include "autograd/ops_reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_index.h"
#include "autograd/ops_shape.h"
#include "tensor/elementwise.h"

namespace heed {

Variable sum(const Variable& x, const Dims& axes, bool keep) {
  Shape kept = reduced_shape("sum", x.shape(), axes);
  return attach("sum", {x}, sum(x.value(), axes, keep), [shape = x.shape(), kept](Grads& g, const Variable& dy) {
    g.add(0, expand(reshape(dy, kept), shape));
  });
}

Variable mean(const Variable& x, const Dims& axes, bool keep) {
  Shape kept = reduced_shape("mean", x.shape(), axes);
  require_float("mean", x.dtype());  // a share of an integer would be cut to 0
  double n = 1;                      // elements under each result
  for (int i = 0; i < x.rank(); ++i)
    if (kept[i] != x.shape()[i]) n *= static_cast<double>(x.shape()[i]);
  if (n == 0 && element_count(kept) > 0)
    throw ValueError("mean: needs at least one element; got " + to_string(x.shape()));
  return attach("mean", {x}, div(sum(x.value(), axes, keep), n), [=, shape = x.shape()](Grads& g, const Variable& dy) {
    g.add(0, expand(reshape(dy / n, kept), shape));
  });
}

namespace {

// The element at its position along the axis, which `position` finds on the last one.
Variable first_extreme(const char* name, const Variable& x, int64_t axis, bool keep,
                       Tensor (*position)(const Tensor&, int64_t)) {
  int last = x.rank() - 1, at = normal_axis(name, axis, x.rank());
  if (x.size(at) == 0) throw IndexError(fmt::format("{}: the axis is empty; got {}", name, to_string(x.shape())));
  Variable moved = at == last ? x : transpose(x, at, last);               // [.., N]
  Variable y = gather(moved, position(moved.value(), -1).unsqueeze(-1));  // [.., 1]
  if (at != last) y = transpose(y, at, last);
  return keep ? y : squeeze(y, at);
}

Variable extreme_over(const char* name, const Variable& x, const Tensor& y, const Dims& axes) {
  Shape kept = reduced_shape(name, x.shape(), axes);
  return attach(name, {x}, y, [sx = save(x), sy = save_output(y), axes, kept](Grads& g, const Variable& dy) {
    Tensor share = cast(equal(g[sx].value(), g[sy].value().view(kept)), dy.dtype());  // 1 where x is y
    g.add(0, reshape(dy, kept) * Variable(div(share, sum(share, axes, /*keep=*/true))));
  });
}

// The reduced axes, of size 1 by now, taken away.
Variable dropped(const Variable& y, const Dims& axes) {
  Shape shape;
  Dims gone;
  for (int64_t axis : axes) gone.push_back(normal_axis("prod", axis, y.rank()));
  for (int i = 0; i < y.rank(); ++i)
    if (axes.rank() != 0 && std::find(gone.begin(), gone.end(), i) == gone.end()) shape.push_back(y.shape()[i]);
  return reshape(y, shape);
}

// Along an axis of any size but 0: the first half times the second, and so on; an odd one out waits.
Variable product_along(Variable y, int axis) {
  for (int64_t n = y.size(axis); n > 1; n = y.size(axis)) {
    std::vector<int64_t> sizes(n % 2 ? 3 : 2, n / 2);
    if (n % 2) sizes[2] = 1;
    std::vector<Variable> parts = split(y, sizes, axis);
    y = parts[0] * parts[1];
    if (n % 2) y = concat({y, parts[2]}, axis);
  }
  return y;
}

}  // namespace

Variable max(const Variable& x, int64_t axis, bool keep) { return first_extreme("max", x, axis, keep, argmax); }
Variable min(const Variable& x, int64_t axis, bool keep) { return first_extreme("min", x, axis, keep, argmin); }

Variable amax(const Variable& x, const Dims& axes, bool keep) {
  return extreme_over("amax", x, amax(x.value(), axes, keep), axes);
}
Variable amin(const Variable& x, const Dims& axes, bool keep) {
  return extreme_over("amin", x, amin(x.value(), axes, keep), axes);
}

Variable prod(const Variable& x, const Dims& axes, bool keep) {
  dispatch_number(x.dtype(), "prod", [](auto) {});
  Shape kept = reduced_shape("prod", x.shape(), axes);
  Variable y = x;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (kept[axis] == x.shape()[axis]) continue;
    y = y.size(axis) ? product_along(y, axis) : sum(y, {axis}, /*keep=*/true) + 1;  // over nothing 0 + 1
  }
  return keep ? y : dropped(y, axes);
}

Variable logsumexp(const Variable& x, const Dims& axes, bool keep) {
  Shape kept = reduced_shape("logsumexp", x.shape(), axes);
  Tensor y = logsumexp(x.value(), axes, keep);
  return attach("logsumexp", {x}, y, [sx = save(x), sy = save_output(y), kept](Grads& g, const Variable& dy) {
    Variable top = reshape(g[sy], kept);
    top = masked_fill(top, equal(top.value(), -std::numeric_limits<double>::infinity()), 0);  // -inf - -inf is NaN
    g.add(0, reshape(dy, kept) * exp(g[sx] - top));
  });
}

Variable cumsum(const Variable& x, int64_t axis, const CumsumOptions& options) {
  return attach("cumsum", {x}, cumsum(x.value(), axis, options),
                [=](Grads& g, const Variable& dy) { g.add(0, cumsum(dy, axis, {.reverse = !options.reverse})); });
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
