#include "autograd/ops_statistics.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed {
namespace {

// What var and stddev divide by, and the mean of x along the axes.
struct Spread {
  Shape kept;
  double n = 1, divisor = 1;
};
Spread spread_of(const char* name, const Variable& x, const Dims& axes, const VarOptions& o) {
  dispatch_float(x.dtype(), name, [](auto) {});
  Spread s{reduced_shape(name, x.shape(), axes)};
  for (int i = 0; i < x.rank(); ++i)
    if (s.kept[i] != x.shape()[i]) s.n *= static_cast<double>(x.shape()[i]);
  s.divisor = s.n - (o.unbiased ? 1 : 0);
  if (s.divisor <= 0)
    throw ValueError(fmt::format("{}: needs at least {} along the axes; got {} over {}{}", name,
                                 o.unbiased ? "2 elements" : "1 element", to_string(x.shape()), to_string(axes),
                                 o.unbiased && s.n == 1 ? "; .unbiased = false allows 1" : ""));
  return s;
}
Variable centred(const Variable& x, const Dims& axes, const Spread& s) {  // x - m
  return x - sum(x, axes, /*keep=*/true) / s.n;
}
Tensor variance(const Tensor& x, const Dims& axes, const Spread& s, bool keep) {
  Tensor mean = div(sum(x, axes, /*keep=*/true), s.n);
  return div(sum(square(sub(x, mean)), axes, keep), s.divisor);
}

// y where it is not 0, and 1 there: something to divide by.
Variable or_one(const Variable& y) { return masked_fill(y, equal(y.value(), 0), 1); }

}  // namespace

Variable var(const Variable& x, const Dims& axes, const VarOptions& o) {
  Spread s = spread_of("var", x, axes, o);
  return attach("var", {x}, variance(x.value(), axes, s, o.keep),
                [sx = save(x), axes, s](Grads& g, const Variable& dy) {
                  g.add(0, reshape(dy, s.kept) * centred(g[sx], axes, s) * (2 / s.divisor));
                });
}

Variable stddev(const Variable& x, const Dims& axes, const VarOptions& o) {
  Spread s = spread_of("stddev", x, axes, o);
  Tensor y = sqrt(variance(x.value(), axes, s, o.keep));
  return attach("stddev", {x}, y, [sx = save(x), sy = save_output(y), axes, s](Grads& g, const Variable& dy) {
    Variable scale = dy / or_one(g[sy]) * (1 / s.divisor);
    g.add(0, reshape(scale, s.kept) * centred(g[sx], axes, s));
  });
}

Variable norm(const Variable& x, double p, const Dims& axes, bool keep) {
  if (!(p >= 1)) throw ValueError(fmt::format("norm: p must be at least 1; got {}", p));
  dispatch_float(x.dtype(), "norm", [](auto) {});
  Shape kept = reduced_shape("norm", x.shape(), axes);
  if (std::isinf(p)) return amax(abs(x), axes, keep);
  Tensor y = pow(sum(pow(abs(x.value()), p), axes, keep), 1 / p);
  return attach("norm", {x}, y, [sx = save(x), sy = save_output(y), p, kept](Grads& g, const Variable& dy) {
    Variable in = g[sx], ratio = in / reshape(or_one(g[sy]), kept);  // 0 in a row of zeros
    if (p != 2) ratio = pow(abs(ratio), p - 1) * Variable(sign(in.value()));
    g.add(0, reshape(dy, kept) * ratio);
  });
}

}  // namespace heed
