#include "autograd/ops_norm.h"

#include <fmt/format.h>

#include "autograd/ops_arithmetic.h"
#include "autograd/ops_reduce.h"
#include "autograd/shorthand.h"
#include "tensor/kernels/layer_norm.h"
#include "tensor/range.h"
#include "tensor/reduce.h"

namespace heed {
namespace {

// The last `axes` sizes of x; the weight and the bias must have just these.
Shape row_shape(const char* name, const Variable& x, const Variable& weight, const Variable& bias,
                const NormOptions& o) {
  if (o.axes < 1 || o.axes > x.rank())
    throw ShapeError(
        fmt::format("{}: needs between 1 and all axes of x; got {} of {}", name, o.axes, to_string(x.shape())));
  if (!(o.eps >= 0)) throw ValueError(fmt::format("{}: eps must not be negative; got {}", name, o.eps));
  Shape row;
  for (int i = x.rank() - o.axes; i < x.rank(); ++i) row.push_back(x.shape()[i]);
  for (const auto& [word, v] : {std::pair{"weight", &weight}, std::pair{"bias", &bias}}) {
    if (!v->defined()) continue;
    if (!(v->shape() == row))
      throw ShapeError(fmt::format("{}: the {} must have the sizes of the last axes of x; got x {} and {} {}", name,
                                   word, to_string(x.shape()), word, to_string(v->shape())));
    require_same_dtype(name, x.value(), v->value());
  }
  require_float(name, x.dtype());
  return row;
}

Tensor flat(const Variable& v) { return v.defined() ? v.value().reshape({v.count()}) : Tensor(); }

template <class Composed>
Variable fused(const char* name, Centre centre, const Variable& x, const Variable& weight, const Variable& bias,
               const NormOptions& o, const Composed& composed) {
  Shape row = row_shape(name, x, weight, bias, o), lead = x.shape();
  for (int i = 0; i < o.axes; ++i) lead.erase(lead.rank() - 1);
  int64_t N = element_count(row), R = element_count(lead);
  NormRows rows = norm_rows(x.value().reshape({R, N}), flat(weight), flat(bias), o.eps, centre);
  Tensor y = rows.y.view(x.shape());
  rows.y = {};  // the gradient does not need it
  auto fast = [=, sx = save(x), sw = save_optional(weight)](Grads& g, const Variable& dy) {
    Tensor up = dy.value().reshape({R, N});
    auto in = [&] { return g[sx].value().reshape({R, N}); };
    if (g.needs(0)) g.add(0, norm_rows_backward(in(), flat(sw.in(g)), rows, up, centre).view(dy.shape()));
    if (g.needs(1)) g.add(1, norm_rows_weight(in(), rows, up).view(row));
    if (g.needs(2)) g.add(2, sum(up, {0}).view(row));
  };
  auto again = [sx = save(x), sw = save_optional(weight), sb = save_optional(bias), o, composed](Grads& g) {
    return composed(g[sx], sw.in(g), sb.in(g), o);
  };
  return attach_fused(name, {x, weight, bias}, y, fast, again);
}

// The normalised x, (x - m) / sqrt(v + eps) over the last axes; for Centre::zero, m = 0.
Variable normalised(const Variable& x, const NormOptions& o, Centre centre) {
  Dims last;
  for (int i = 1; i <= o.axes; ++i) last.push_back(-i);
  if (x.count() == 0) return x * 1;  // no rows, or empty rows
  auto moved = [&](const Variable& v) { return centre == Centre::zero ? v : centred(v, last); };
  Variable n = moved(x), variance = mean(square(n), last, /*keep=*/true) + o.eps;
  Tensor unit = unit_of(largest_out_of_range(x.value(), variance.value(), last, least_sum(x.dtype(), 1)));
  if (unit.defined()) {  // x / u with eps / u^2 has the same result: see tensor/range.h
    n = moved(x / Variable(unit));
    variance = mean(square(n), last, /*keep=*/true) + Variable(div(div(o.eps, unit), unit));
  }
  return n / sqrt(variance);
}

Variable scaled(const Variable& n, const Variable& weight, const Variable& bias) {
  Variable y = weight.defined() ? n * weight : n;
  return bias.defined() ? y + bias : y;
}

}  // namespace

Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias, const NormOptions& o) {
  return fused("layer_norm", Centre::mean, x, weight, bias, o, layer_norm_composed);
}

Variable layer_norm_composed(const Variable& x, const Variable& weight, const Variable& bias, const NormOptions& o) {
  row_shape("layer_norm", x, weight, bias, o);
  return scaled(normalised(x, o, Centre::mean), weight, bias);
}

Variable rms_norm(const Variable& x, const Variable& weight, const NormOptions& o) {
  auto composed = [](const Variable& v, const Variable& w, const Variable&, const NormOptions& options) {
    return rms_norm_composed(v, w, options);
  };
  return fused("rms_norm", Centre::zero, x, weight, {}, o, composed);
}

Variable rms_norm_composed(const Variable& x, const Variable& weight, const NormOptions& o) {
  row_shape("rms_norm", x, weight, {}, o);
  return scaled(normalised(x, o, Centre::zero), weight, {});
}

}  // namespace heed
