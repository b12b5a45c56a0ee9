#include "autograd/ops_rearrange.h"

#include <fmt/format.h>

#include "autograd/attach.h"
#include "tensor/elementwise.h"

namespace heed {

Variable flip(const Variable& x, const Dims& axes) {
  return attach("flip", {x}, flip(x.value(), axes), [axes](Grads& g, const Variable& dy) { g.add(0, flip(dy, axes)); });
}

Variable roll(const Variable& x, const Dims& shifts, const Dims& axes) {
  Tensor y = roll(x.value(), shifts, axes);
  Dims back = shifts;
  for (int k = 0; k < back.rank(); ++k) {  // in [0, n): the negative of any shift exists
    int64_t n = std::max<int64_t>(x.size(axes[k]), 1);
    back[k] = (n - shifts[k] % n) % n;
  }
  return attach("roll", {x}, y, [back, axes](Grads& g, const Variable& dy) { g.add(0, roll(dy, back, axes)); });
}

Variable pad(const Variable& x, const std::vector<Margin>& margins, double value) {
  return attach("pad", {x}, pad(x.value(), margins, value), [margins](Grads& g, const Variable& dy) {
    std::vector<Margin> back = margins;
    for (Margin& m : back) m.before = -m.before, m.after = -m.after;
    g.add(0, pad(dy, back));
  });
}

Variable tril(const Variable& x, int64_t k) {
  return attach("tril", {x}, tril(x.value(), k), [k](Grads& g, const Variable& dy) { g.add(0, tril(dy, k)); });
}
Variable triu(const Variable& x, int64_t k) {
  return attach("triu", {x}, triu(x.value(), k), [k](Grads& g, const Variable& dy) { g.add(0, triu(dy, k)); });
}

Variable diagonal(const Variable& x, int64_t offset, int64_t a, int64_t b) {
  return attach(
      "diagonal", {x}, diagonal(x.value(), offset, a, b),
      [=, shape = x.shape()](Grads& g, const Variable& dy) { g.add(0, place_diagonal(dy, shape, offset, a, b)); });
}

Variable place_diagonal(const Variable& x, const Shape& shape, int64_t offset, int64_t a, int64_t b) {
  Tensor y = Tensor::zeros(shape, x.dtype()), spot = diagonal(y, offset, a, b);
  if (!(spot.shape() == x.shape()))
    throw ShapeError(
        fmt::format("place_diagonal: x must have the shape of the diagonal; got x {} for a diagonal {} of {}",
                    to_string(x.shape()), to_string(spot.shape()), to_string(shape)));
  copy_into(spot, x.value());
  return attach("place_diagonal", {x}, y, [=](Grads& g, const Variable& dy) { g.add(0, diagonal(dy, offset, a, b)); });
}

}  // namespace heed
