#include "autograd/ops_reduce.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "autograd/shorthand.h"
#include "tensor/range.h"

namespace heed {
namespace {

// The shape with the reduced axes at size 1, and the number of elements under each result.
struct Reduced {
  Reduced(const char* name, const Variable& x, const Dims& axes) : kept(reduced_shape(name, x.shape(), axes)) {
    for (int i = 0; i < x.rank(); ++i) n *= kept[i] == x.shape()[i] ? 1 : x.shape()[i];
  }
  Shape kept;
  int64_t n = 1;
};
double real(int64_t n) { return static_cast<double>(n); }

}  // namespace

Variable sum(const Variable& x, const Dims& axes, bool keep) {
  Shape kept = reduced_shape("sum", x.shape(), axes);
  return attach_linear("sum", x, sum(x.value(), axes, keep),
                       [=, shape = x.shape()](const Variable& dy) { return expand(reshape(dy, kept), shape); });
}

Variable mean(const Variable& x, const Dims& axes, bool keep) {
  Reduced r("mean", x, axes);
  require_float("mean", x.dtype());  // a share of an integer would be cut to 0
  if (r.n == 0 && element_count(r.kept) > 0)
    throw ValueError("mean: needs at least one element; got " + to_string(x.shape()));
  auto averages = [&](const Tensor& v) { return div(sum(v, axes, /*keep=*/true), real(r.n)); };
  Tensor y = averages(x.value());
  if (Tensor unit = unit_of(largest_out_of_range(x.value(), y, axes, -INFINITY)); unit.defined())
    y = mul(averages(div(x.value(), unit)), unit);  // the sum overflowed
  return attach_linear(
      "mean", x, y.view(reduced_shape("mean", x.shape(), axes, keep)),
      [r, shape = x.shape()](const Variable& dy) { return expand(reshape(dy / real(r.n), r.kept), shape); });
}

Variable centred(const Variable& x, const Dims& axes) {
  Variable d = x - mean(x, axes, /*keep=*/true);
  return d - mean(d, axes, /*keep=*/true);
}

Variable mean_of(const Variable& x, double n) {
  Variable total = sum(x);
  if (std::isfinite(total.item()) || x.count() == 0) return total / n;
  return mean(x) * (real(x.count()) / n);
}

Variable sum_to(const Variable& x, const Shape& shape) {
  return attach_linear("sum_to", x, sum_to(x.value(), shape),
                       [full = x.shape()](const Variable& dy) { return expand(dy, full); });
}

Variable expand(const Variable& x, const Shape& shape) {
  return attach_linear("expand", x, x.value().expand(shape),
                       [small = x.shape()](const Variable& dy) { return sum_to(dy, small); });
}

Variable cumsum(const Variable& x, int64_t axis, const CumsumOptions& options) {
  return attach_linear("cumsum", x, cumsum(x.value(), axis, options),
                       [=](const Variable& dy) { return cumsum(dy, axis, {.reverse = !options.reverse}); });
}

Variable linear_scan(const Variable& a, const Variable& x, int64_t axis, const CumsumOptions& options) {
  const Tensor y = linear_scan(a.value(), x.value(), axis, options);
  const int at = normal_axis("linear_scan", axis, x.rank());
  return attach("linear_scan", {a, x}, y,
                [sa = save(a), sy = save_output(y), at, options](Grads& g, const Variable& dy) {
                  const Variable dx = linear_scan(g[sa], dy, at, {.reverse = !options.reverse});
                  auto one_later = [&](const Variable& v) {
                    return v.size(at) == 0 ? v : pad(slice(v, at, 0, v.size(at) - 1), {{.axis = at, .before = 1}});
                  };
                  g.add(1, dx);
                  if (g.needs(0)) g.add(0, options.reverse ? g[sy] * one_later(dx) : one_later(g[sy]) * dx);
                });
}

namespace {

// The element at its position along the axis, which `position` finds.
Variable first_extreme(const char* name, const Variable& x, int64_t axis, bool keep,
                       Tensor (*position)(const Tensor&, int64_t)) {
  int at = normal_axis(name, axis, x.rank());
  if (x.size(at) == 0) throw IndexError(fmt::format("{}: the axis is empty; got {}", name, to_string(x.shape())));
  Variable y = gather(x, at, position(x.value(), at).unsqueeze(at));
  return keep ? y : squeeze(y, at);
}

Variable extreme_over(const char* name, const Variable& x, const Tensor& y, const Dims& axes) {
  Shape kept = reduced_shape(name, x.shape(), axes);
  return attach(name, {x}, y, [sx = save(x), sy = save_output(y), axes, kept](Grads& g, const Variable& dy) {
    Tensor is = cast(equal(g[sx].value(), g[sy].value().view(kept)), dy.dtype());  // 1 where x is y
    Tensor share = div(is, sum(is, axes, /*keep=*/true));
    g.add(0, masked_fill(reshape(dy, kept) * Variable(share), equal(share, 0), 0));  // 0, also times infinity
  });
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

Variable logsumexp(const Variable& x, const Dims& axes, bool keep) {
  Reduced r("logsumexp", x, axes);
  Dims order;  // the axes that stay, then those that are reduced
  for (bool reduced : {false, true})
    for (int i = 0; i < x.rank(); ++i)
      if ((r.kept[i] != x.shape()[i]) == reduced) order.push_back(i);
  Variable rows = reshape(permute(x, order), {element_count(r.kept), r.n});
  // Not e^(x - y): beside a large x, y has lost the digits that tell two equal elements from one.
  Variable y =
      attach("logsumexp", {rows}, logsumexp_rows(rows.value()),
             [sx = save(rows)](Grads& g, const Variable& dy) { g.add(0, unsqueeze(dy, -1) * softmax(g[sx])); });
  return reshape(y, reduced_shape("logsumexp", x.shape(), axes, keep));
}

namespace {

// The divisor of var and stddev.
double divisor_of(const char* name, const Variable& x, const Dims& axes, const VarOptions& o) {
  require_float(name, x.dtype());
  Reduced r(name, x, axes);
  double divisor = real(r.n) - (o.unbiased ? 1 : 0);
  if (divisor <= 0 && element_count(r.kept) > 0)
    throw ValueError(fmt::format("{}: needs at least {} along the axes; got {} over {}{}", name,
                                 o.unbiased ? "2 elements" : "1 element", to_string(x.shape()), to_string(axes),
                                 o.unbiased && r.n == 1 ? "; .unbiased = false allows 1" : ""));
  return divisor;
}
// y = sum over axes of d^2 / divisor, d = x / unit - m, where m is the mean of x / unit. Reduced axes stay with size 1.
// The unit is undefined (1) where all sums of squares are within the range of the type: see tensor/range.h.
struct Variance {
  Variance(const Tensor& x, const Dims& axes, double divisor) {
    auto squares = [&](const Tensor& v) { return sum(square(centred(v, axes).value()), axes, /*keep=*/true); };
    y = squares(x);
    unit = unit_of(largest_out_of_range(x, y, axes, least_sum(x.dtype(), x.count() / std::max<int64_t>(y.count(), 1))));
    y = div(unit.defined() ? squares(div(x, unit)) : y, divisor);
  }
  Tensor y, unit;
};
// Values and gradients are both computed from this.
Variable in_unit(const Variable& x, const Tensor& unit) { return unit.defined() ? x / Variable(unit) : x; }

// scale d, where scale has the shape of the result.
Variable deviations(const Variable& scale, const Variable& d, const Dims& axes) {
  return reshape(scale, reduced_shape("var", d.shape(), axes)) * d;
}
// y with each 0 replaced by 1, to divide by.
Variable or_one(const Variable& y) { return masked_fill(y, equal(y.value(), 0), 1); }

}  // namespace

Variable var(const Variable& x, const Dims& axes, const VarOptions& o) {
  double divisor = divisor_of("var", x, axes, o);
  Variance v(x.value(), axes, divisor);
  Tensor y = v.unit.defined() ? mul(mul(v.y, v.unit), v.unit) : v.y;
  return attach("var", {x}, y.view(reduced_shape("var", x.shape(), axes, o.keep)),
                [sx = save(x), axes, divisor, unit = v.unit](Grads& g, const Variable& dy) {
                  Variable dx = deviations(dy, centred(in_unit(g[sx], unit), axes), axes) * (2 / divisor);
                  g.add(0, unit.defined() ? dx * Variable(unit) : dx);
                });
}

Variable stddev(const Variable& x, const Dims& axes, const VarOptions& o) {
  double divisor = divisor_of("stddev", x, axes, o);
  Variance v(x.value(), axes, divisor);
  Tensor y = sqrt(v.y), unit = v.unit;
  if (unit.defined()) y = mul(y, unit);
  y = y.view(reduced_shape("stddev", x.shape(), axes, o.keep));
  return attach("stddev", {x}, y,
                [sx = save(x), sy = save_output(y), axes, divisor, o, unit](Grads& g, const Variable& dy) {
                  Variable in = in_unit(g[sx], unit), s = unit.defined() ? stddev(in, axes, o) : g[sy];
                  Variable row = reshape(s, reduced_shape("stddev", in.shape(), axes));
                  Variable slope = masked_fill(dy / divisor, equal(s.value(), 0), 0);
                  g.add(0, deviations(slope, centred(in, axes) / or_one(row), axes));
                });
}

Variable norm(const Variable& x, double p, const Dims& axes, bool keep) {
  if (!(p >= 1)) throw ValueError(fmt::format("norm: p must be at least 1; got {}", p));
  require_float("norm", x.dtype());
  Reduced r("norm", x, axes);
  if (std::isinf(p)) return amax(abs(x), axes, keep);
  auto powers = [&](const Tensor& v) { return sum(pow(abs(v), p), axes, /*keep=*/true); };
  Tensor total = powers(x.value());
  Tensor unit = largest_out_of_range(x.value(), total, axes, p == 1 ? 0 : least_sum(x.dtype(), r.n));
  if (p == 2) unit = unit_of(unit);  // other p: max |x| itself, since 1.9^1000 overflows
  Tensor y = pow(unit.defined() ? powers(div(x.value(), unit)) : total, 1 / p);
  if (unit.defined()) y = mul(y, unit);
  y = y.view(reduced_shape("norm", x.shape(), axes, keep));
  return attach("norm", {x}, y,
                [sx = save(x), sy = save_output(y), p, axes, unit, kept = r.kept](Grads& g, const Variable& dy) {
                  Variable in = in_unit(g[sx], unit);
                  Variable length = unit.defined() ? norm(in, p, axes, /*keep=*/true) : reshape(g[sy], kept);
                  Variable ratio = in / or_one(length);
                  if (p > 2) ratio = pow(abs(ratio), p - 1) * Variable(sign(in.value()));
                  if (p < 2) {  // powers below 1 fit the type, where in / length may not
                    ratio = pow(abs(g[sx]), p - 1) / pow(or_one(length), p - 1) * Variable(sign(g[sx].value()));
                    if (unit.defined()) ratio = ratio / Variable(pow(unit, p - 1));
                  }
                  g.add(0, reshape(dy, kept) * masked_fill(ratio, equal(length.value(), 0), 0));  // 0 in a row of zeros
                });
}

}  // namespace heed
