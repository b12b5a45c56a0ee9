#include "autograd/ops_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/shorthand.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

// For views of another shape: dy in the shape of x.
auto back_to(const Variable& x) {
  return [old = x.shape()](const Variable& dy) { return reshape(dy, old); };
}

std::vector<Tensor> values_of(const std::vector<Variable>& parts) {
  std::vector<Tensor> values;
  for (const Variable& p : parts) values.push_back(p.value());
  return values;
}

// Pieces of x as the outputs of one node; `join` joins their gradients to that of x.
template <class F>
std::vector<Variable> pieces(const char* name, const Variable& x, const std::vector<Tensor>& ys, F join) {
  return attach_many(name, {x}, ys, [join, n = ys.size()](Grads& g) {
    std::vector<Variable> parts;
    for (size_t k = 0; k < n; ++k) parts.push_back(g.dy(k));
    g.add(0, join(parts));
  });
}

}  // namespace

Variable reshape(const Variable& x, const Shape& shape) {
  return attach_linear("reshape", x, x.value().reshape(shape), back_to(x));
}
Variable squeeze(const Variable& x, int64_t axis) {
  return attach_linear("squeeze", x, x.value().squeeze(axis), back_to(x));
}
Variable unsqueeze(const Variable& x, int64_t axis) {
  return attach_linear("unsqueeze", x, x.value().unsqueeze(axis), back_to(x));
}
Variable contiguous(const Variable& x) {
  return attach_linear("contiguous", x, x.value().contiguous(), [](const Variable& dy) { return dy; });
}
Variable transpose(const Variable& x, int64_t a, int64_t b) {
  return attach_linear("transpose", x, x.value().transpose(a, b),
                       [=](const Variable& dy) { return transpose(dy, a, b); });
}
Variable movedim(const Variable& x, int64_t from, int64_t to) {
  return attach_linear("movedim", x, movedim(x.value(), from, to),
                       [=](const Variable& dy) { return movedim(dy, to, from); });
}
Variable permute(const Variable& x, const Dims& axes) {
  Tensor y = x.value().permute(axes);
  Dims back = axes;
  for (int i = 0; i < axes.rank(); ++i) back[normal_axis("permute", axes[i], axes.rank())] = i;
  return attach_linear("permute", x, y, [back](const Variable& dy) { return permute(dy, back); });
}

Variable slice(const Variable& x, int64_t axis_, int64_t begin_, int64_t end, int64_t step) {
  int axis = normal_axis("slice", axis_, x.rank());
  int64_t n = x.shape()[axis], begin = begin_ < 0 ? begin_ + n : begin_;
  return attach_linear("slice", x, x.value().slice(axis, begin_, end, step),
                       [=](const Variable& dy) { return place(dy, axis, begin, step, n); });
}

Variable place(const Variable& x, int64_t axis_, int64_t begin, int64_t step, int64_t size) {
  int axis = normal_axis("place", axis_, x.rank());
  Shape shape = x.shape();
  int64_t n = shape[axis], end = n ? begin + (n - 1) * step + 1 : begin;
  shape[axis] = size;
  Tensor y = Tensor::zeros(shape, x.dtype()), spot = y.slice(axis, begin, end, step);
  copy_into(spot, x.value());
  return attach_linear("place", x, y, [=](const Variable& dy) { return slice(dy, axis, begin, end, step); });
}

Variable narrow(const Variable& x, int64_t axis, int64_t begin, int64_t length) {
  int64_t n = x.shape()[normal_axis("narrow", axis, x.rank())], first = begin < 0 ? begin + n : begin;
  if (first < 0 || length < 0 || first > n || length > n - first)
    throw IndexError(fmt::format("narrow: the piece must lie inside the axis; got {} from {} on axis {} of {}", length,
                                 begin, axis, to_string(x.shape())));
  return slice(x, axis, first, first + length);
}

Variable select(const Variable& x, int64_t axis_, int64_t index_) {
  int axis = normal_axis("select", axis_, x.rank());
  int64_t n = x.shape()[axis], index = index_ < 0 ? index_ + n : index_;
  return attach_linear("select", x, x.value().select(axis, index_),
                       [=](const Variable& dy) { return place(unsqueeze(dy, axis), axis, index, 1, n); });
}

Variable concat(const std::vector<Variable>& parts, int64_t axis_) {
  Tensor y = concat(values_of(parts), axis_);
  int axis = normal_axis("concat", axis_, y.rank());
  std::vector<int64_t> sizes;
  for (const Variable& p : parts) sizes.push_back(p.size(axis));
  return attach_many("concat", Inputs(parts.begin(), parts.end()), {y}, [axis, sizes](Grads& g, const Variable& dy) {
    int64_t at = 0;
    for (size_t i = 0; i < sizes.size(); at += sizes[i++])
      if (g.needs(i)) g.add(i, slice(dy, axis, at, at + sizes[i]));
  })[0];
}

Variable stack(const std::vector<Variable>& parts, int64_t axis_) {
  Tensor y = stack(values_of(parts), axis_);
  int axis = normal_axis("stack", axis_, y.rank());
  return attach_many("stack", Inputs(parts.begin(), parts.end()), {y}, [axis](Grads& g, const Variable& dy) {
    std::vector<Variable> slices = unstack(dy, axis);
    for (size_t i = 0; i < slices.size(); ++i) g.add(i, slices[i]);
  })[0];
}

std::vector<Variable> split(const Variable& x, const std::vector<int64_t>& sizes, int64_t axis_) {
  int axis = normal_axis("split", axis_, x.rank());
  std::vector<Tensor> cuts;
  int64_t at = 0, n = x.shape()[axis];
  for (int64_t s : sizes) {
    if (s < 0 || s > n - at) break;
    cuts.push_back(x.value().slice(axis, at, at + s));
    at += s;
  }
  if (at != n || cuts.size() != sizes.size())
    throw ShapeError(fmt::format("split: the sizes must add up to the axis; got {} for axis {} of {}",
                                 fmt::format("[{}]", fmt::join(sizes, ", ")), axis, to_string(x.shape())));
  return pieces("split", x, cuts, [axis](const std::vector<Variable>& parts) { return concat(parts, axis); });
}

std::vector<Variable> chunk(const Variable& x, int64_t count, int64_t axis) {
  if (count < 1) throw ValueError(fmt::format("chunk: needs at least one piece; got {}", count));
  int64_t n = x.shape()[normal_axis("chunk", axis, x.rank())];
  if (n == 0) return split(x, std::vector<int64_t>(static_cast<size_t>(count), 0), axis);
  count = std::min(count, n);              // none is empty
  int64_t size = (n + count - 1) / count;  // rounded up
  std::vector<int64_t> sizes;
  for (int64_t at = 0; at < n; at += size) sizes.push_back(std::min(size, n - at));
  return split(x, sizes, axis);
}

std::vector<Variable> unstack(const Variable& x, int64_t axis_) {
  int axis = normal_axis("unstack", axis_, x.rank());
  std::vector<Tensor> slices;
  for (int64_t i = 0; i < x.shape()[axis]; ++i) slices.push_back(x.value().select(axis, i));
  return pieces("unstack", x, slices, [axis](const std::vector<Variable>& parts) { return stack(parts, axis); });
}

Variable flip(const Variable& x, const Dims& axes) {
  return attach_linear("flip", x, flip(x.value(), axes), [=](const Variable& dy) { return flip(dy, axes); });
}
Variable roll(const Variable& x, const Dims& shifts, const Dims& axes) {
  Tensor y = roll(x.value(), shifts, axes);
  Dims back = shifts;
  for (int k = 0; k < back.rank(); ++k) {  // in [0, n): the negative of any shift exists
    int64_t n = std::max<int64_t>(x.size(axes[k]), 1);
    back[k] = (n - shifts[k] % n) % n;
  }
  return attach_linear("roll", x, y, [=](const Variable& dy) { return roll(dy, back, axes); });
}
Variable tril(const Variable& x, int64_t k) {
  return attach_linear("tril", x, tril(x.value(), k), [k](const Variable& dy) { return tril(dy, k); });
}
Variable triu(const Variable& x, int64_t k) {
  return attach_linear("triu", x, triu(x.value(), k), [k](const Variable& dy) { return triu(dy, k); });
}
Variable pad(const Variable& x, const std::vector<Margin>& margins, double value) {
  std::vector<Margin> back = margins;
  for (Margin& m : back) m.before = -m.before, m.after = -m.after;
  return attach_linear("pad", x, pad(x.value(), margins, value), [back](const Variable& dy) { return pad(dy, back); });
}

Variable diagonal(const Variable& x, int64_t offset, int64_t a, int64_t b) {
  return attach_linear("diagonal", x, diagonal(x.value(), offset, a, b),
                       [=, shape = x.shape()](const Variable& dy) { return place_diagonal(dy, shape, offset, a, b); });
}

Variable place_diagonal(const Variable& x, const Shape& shape, int64_t offset, int64_t a, int64_t b) {
  Tensor y = Tensor::zeros(shape, x.dtype()), spot = diagonal(y, offset, a, b);
  if (!(spot.shape() == x.shape()))
    throw ShapeError(
        fmt::format("place_diagonal: x must have the shape of the diagonal; got x {} for a diagonal {} of {}",
                    to_string(x.shape()), to_string(spot.shape()), to_string(shape)));
  copy_into(spot, x.value());
  return attach_linear("place_diagonal", x, y, [=](const Variable& dy) { return diagonal(dy, offset, a, b); });
}

Variable unfold(const Variable& x, int64_t axis_, int64_t size, int64_t step) {
  int axis = normal_axis("unfold", axis_, x.rank());
  return attach_linear("unfold", x, unfold(x.value(), axis, size, step),
                       [=, n = x.shape()[axis]](const Variable& dy) { return fold(dy, axis, n, step); });
}

Variable fold(const Variable& x, int64_t axis_, int64_t length, int64_t step) {
  int axis = normal_axis("fold", axis_, x.rank() - 1);
  int64_t windows = x.shape()[axis], size = x.size(-1);
  Shape shape = x.shape();
  shape.erase(x.rank() - 1);
  shape[axis] = length;
  Tensor y = Tensor::zeros(shape, x.dtype());
  if (!(unfold(y, axis, size, step).shape() == x.shape()))
    throw ShapeError(fmt::format("fold: needs the windows that unfold gives; got {} for {} in steps of {}",
                                 to_string(x.shape()), to_string(shape), step));
  for (int64_t i = 0; i < size; ++i) {  // element i of all windows, which are step apart
    Tensor spot = y.slice(axis, i, i + (windows - 1) * step + 1, step);
    add_into(spot, x.value().select(-1, i));
  }
  return attach_linear("fold", x, y, [=](const Variable& dy) { return unfold(dy, axis, size, step); });
}

}  // namespace heed
