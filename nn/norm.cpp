#include "nn/norm.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/compare.h"
#include "tensor/range.h"

namespace heed::nn {
namespace {

// The last axes of x must be `shape`. Without a weight, no later operation would notice a wrong size.
void require_shape(const char* name, const Variable& x, const Shape& shape) {
  bool fits = x.rank() >= shape.rank();
  for (int i = 1; fits && i <= shape.rank(); ++i) fits = x.size(-i) == shape[shape.rank() - i];
  if (!fits)
    throw ShapeError(
        fmt::format("{}: the last axes of x must be {}; got x {}", name, to_string(shape), to_string(x.shape())));
}

void require_axes(const char* name, const Shape& shape) {
  if (shape.rank() == 0) throw ValueError(fmt::format("{}: shape needs at least one axis; got []", name));
}

std::variant<LayerNorm, RMSNorm> norm_by_name(const AnyNormOptions& o, Generator& rng) {
  if (o.name == "layer") return LayerNorm({.shape = {o.width}, .eps = o.eps}, rng);
  if (o.name == "rms") return RMSNorm({.shape = {o.width}, .eps = o.eps}, rng);
  throw ValueError(fmt::format("norm: no norm of this name; got `{}`; there are layer, rms", o.name));
}

}  // namespace

LayerNorm::LayerNorm(const Options& o, Generator&)
    : options(o),
      weight(o.affine ? ones_parameter(o.shape) : Variable()),
      bias(o.affine && o.bias ? zeros_parameter(o.shape) : Variable()) {
  require_axes("LayerNorm", o.shape);
}
Variable LayerNorm::operator()(const Variable& x) const {
  Call call(*this);
  require_shape("LayerNorm", x, options.shape);
  return call.result("output", layer_norm(x, weight, bias, {.axes = options.shape.rank(), .eps = options.eps}));
}

RMSNorm::RMSNorm(const Options& o, Generator&) : options(o), weight(o.affine ? ones_parameter(o.shape) : Variable()) {
  require_axes("RMSNorm", o.shape);
}
Variable RMSNorm::operator()(const Variable& x) const {
  Call call(*this);
  require_shape("RMSNorm", x, options.shape);
  return call.result("output", rms_norm(x, weight, {.axes = options.shape.rank(), .eps = options.eps}));
}

AnyNorm::AnyNorm(const Options& o, Generator& rng) : options(o), norm(norm_by_name(o, rng)) {}
Variable AnyNorm::operator()(const Variable& x) const {
  Call call(*this);
  return call.result("output", std::visit([&](const auto& n) { return n(x); }, norm));
}

namespace {
Variable divided(const Variable& x, const Tensor& units) { return units.defined() ? x / Variable(units) : x; }
}  // namespace

Variable unit_rows(const Variable& x) {
  Variable in = divided(x, units_of_rows(x.value(), least_sum(x.dtype(), x.size(-1))));
  Variable length = norm(in, 2, {-1}, /*keep=*/true);
  return in / masked_fill(length, equal(length.value(), 0), 1);
}

Cosine::Cosine(const Variable& left, const Variable& right)
    : of_a_(units_of_rows(left.value(), 0)), of_b_(units_of_rows(right.value(), 0)) {
  a = divided(left, of_a_), b = divided(right, of_b_);
}

Variable Cosine::of(const Variable& products, double eps) const {
  auto lengths = [](const Variable& x) { return norm(x, 2, {-1}, /*keep=*/true); };
  Variable sizes = matmul(lengths(a), transpose(lengths(b), -2, -1));
  Tensor rest = Tensor::scalar(eps, products.dtype());
  if (of_a_.defined()) rest = div(rest, of_a_);
  if (of_b_.defined()) rest = div(rest, of_b_.transpose(-2, -1));
  return products / (sizes + Variable(rest));
}

}  // namespace heed::nn
