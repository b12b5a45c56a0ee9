#include "autograd/ops_matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "autograd/attach.h"
#include "autograd/modes.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"
#include "tensor/elementwise.h"
#include "tensor/half_matrix.h"

namespace heed {

Variable matmul(const Variable& a, const Variable& b) {
  VectorOperands vectors(a, b);
  if (vectors.row || vectors.column) {
    VectorOperands::require_product(a.shape(), b.shape());
    Variable c = matmul(vectors.row ? reshape(a, vectors.left(a.shape())) : a,
                        vectors.column ? reshape(b, vectors.right(b.shape())) : b);
    return reshape(c, vectors.dropped(c.shape()));
  }
  return attach("matmul", {broadcast(a), broadcast(b)}, matmul(a.value(), b.value()),
                [sa = save(a), sb = save(b), one_matrix = b.rank() == 2](Grads& g, const Variable& dc) {
                  if (g.needs(0)) g.add(0, matmul(dc, transpose(g[sb], -1, -2)));
                  if (!g.needs(1)) return;
                  Variable x = g[sa];
                  if (one_matrix && x.rank() > 2) {  // one tall product instead of a sum over the batch
                    int64_t K = x.size(-1), N = dc.size(-1), rows = 1;  // not -1: K or N may be 0
                    for (int i = 0; i < x.rank() - 1; ++i) rows *= x.shape()[i];
                    return g.add(1, matmul(transpose(reshape(x, {rows, K}), 0, 1), reshape(dc, {rows, N})));
                  }
                  g.add(1, matmul(transpose(x, -1, -2), dc));
                });
}

Variable linear(const Variable& x, const Variable& w, const Variable& bias) {
  if (x.rank() == 0 || w.rank() != 2 || x.size(-1) != w.size(1))
    throw ShapeError(fmt::format("linear: x [.., I] and w [O, I] must agree in I; got x {} and w {}",
                                 to_string(x.shape()), to_string(w.shape())));
  if (bias.defined() && !(bias.shape() == Shape{w.size(0)}))
    throw ShapeError(
        fmt::format("linear: the bias must be [O], a number for each row of w [O, I]; got bias {} and w {}",
                    to_string(bias.shape()), to_string(w.shape())));
  Tensor y;
  const HalfMatrix* half = HalfMatrix::behind(w.value());  // never trained
  if (half) y = half->product(x.value());
  if (!y.defined() && !grad_enabled()) y = PackedWeights::product(x.value(), w.value());
  if (!y.defined()) y = matmul(x.value(), w.value().transpose(0, 1));
  if (bias.defined()) add_into(y, bias.value());
  // One node, not matmul and add: dw is computed as [O, I] directly (the gradient of w^T would have to be transposed),
  // and the bias is added in place.
  auto gradient = [sx = save(x), sw = save(w), half, I = w.size(1)](Grads& g, const Variable& dy) {
    int64_t O = dy.size(-1), rows = 1;
    for (int i = 0; i < dy.rank() - 1; ++i) rows *= dy.shape()[i];
    if (g.needs(0)) g.add(0, matmul(dy, half ? Variable(half->widened()) : g[sw]));
    if (g.needs(1)) g.add(1, matmul(transpose(reshape(dy, {rows, O}), 0, 1), reshape(g[sx], {rows, I})));
    if (g.needs(2)) g.add(2, dy);
  };
  return bias.defined() ? attach("linear", {x, w, broadcast(bias)}, y, gradient)
                        : attach("linear", {x, w}, y, gradient);
}

PackedWeights*& PackedWeights::active() {
  static thread_local PackedWeights* weights = nullptr;
  return weights;
}

Tensor PackedWeights::product(const Tensor& x, const Tensor& w) {
  constexpr int64_t kMostRows = 1024;  // with more, packing is a small part of the product
  PackedWeights* here = active();
  int64_t I = w.size(1), rows = x.count() / std::max<int64_t>(I, 1);
  if (!here || I == 0 || !x.is_contiguous() || x.dtype() != w.dtype() || precision() != Precision::f32) return {};
  auto same = [&](const Kept& k) {
    return &k.w.storage() == &w.storage() && k.w.offset() == w.offset() && k.w.shape() == w.shape() &&
           k.w.strides() == w.strides();
  };
  auto found = std::find_if(here->kept_.begin(), here->kept_.end(), same);
  if (found != here->kept_.end() && found->version != w.version()) {
    here->kept_.erase(found);
    found = here->kept_.end();
  }
  if (rows > kMostRows) {
    if (found != here->kept_.end()) found->used = true;  // the next step may have fewer
    return {};
  }
  if (found == here->kept_.end())
    found = here->kept_.insert(found, {w, w.version(), PackedMatrix(w.transpose(0, 1)), true});
  found->used = true;
  Shape shape = x.shape();
  shape[shape.rank() - 1] = w.size(0);
  return matmul(x.view({rows, I}), found->packed).view(shape);
}

PackedWeights::Step::~Step() {
  std::erase_if(weights_.kept_, [](Kept& k) { return !std::exchange(k.used, false); });
}

}  // namespace heed
