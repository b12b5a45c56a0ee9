#include "autograd/ops_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/attach.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed {

Variable reshape(const Variable& x, const Shape& shape) {
  return attach("reshape", {x}, x.value().reshape(shape),
                [old = x.shape()](Grads& g, const Variable& dy) { g.add(0, reshape(dy, old)); });
}
Variable transpose(const Variable& x, int64_t a, int64_t b) {
  return attach("transpose", {x}, x.value().transpose(a, b),
                [a, b](Grads& g, const Variable& dy) { g.add(0, transpose(dy, a, b)); });
}
Variable permute(const Variable& x, const Dims& axes) {
  Tensor y = x.value().permute(axes);
  Dims back = axes;
  for (int i = 0; i < axes.rank(); ++i) back[normal_axis("permute", axes[i], axes.rank())] = i;
  return attach("permute", {x}, y, [back](Grads& g, const Variable& dy) { g.add(0, permute(dy, back)); });
}
Variable movedim(const Variable& x, int64_t from_, int64_t to_) {
  int from = normal_axis("movedim", from_, x.rank()), to = normal_axis("movedim", to_, x.rank());
  Dims axes;
  for (int i = 0; i < x.rank(); ++i)
    if (i != from) axes.push_back(i);
  axes.insert(to, from);
  return permute(x, axes);
}
Variable squeeze(const Variable& x, int64_t axis) {
  return attach("squeeze", {x}, x.value().squeeze(axis),
                [old = x.shape()](Grads& g, const Variable& dy) { g.add(0, reshape(dy, old)); });
}
Variable unsqueeze(const Variable& x, int64_t axis) {
  return attach("unsqueeze", {x}, x.value().unsqueeze(axis),
                [old = x.shape()](Grads& g, const Variable& dy) { g.add(0, reshape(dy, old)); });
}
Variable contiguous(const Variable& x) {
  return attach("contiguous", {x}, x.value().contiguous(), [](Grads& g, const Variable& dy) { g.add(0, dy); });
}

Variable place(const Variable& x, int64_t axis_, int64_t begin, int64_t step, int64_t size) {
  int axis = normal_axis("place", axis_, x.rank());
  Shape shape = x.shape();
  int64_t n = shape[axis], end = n ? begin + (n - 1) * step + 1 : begin;
  shape[axis] = size;
  Tensor y = Tensor::zeros(shape, x.dtype());
  Tensor spot = y.slice(axis, begin, end, step);
  copy_into(spot, x.value());
  return attach("place", {x}, y, [axis, begin, end, step](Grads& g, const Variable& dy) {
    g.add(0, slice(dy, axis, begin, end, step));
  });
}

Variable slice(const Variable& x, int64_t axis_, int64_t begin_, int64_t end, int64_t step) {
  int axis = normal_axis("slice", axis_, x.rank());
  int64_t n = x.shape()[axis], begin = begin_ < 0 ? begin_ + n : begin_;
  return attach("slice", {x}, x.value().slice(axis, begin_, end, step),
                [axis, begin, step, n](Grads& g, const Variable& dy) { g.add(0, place(dy, axis, begin, step, n)); });
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
  return attach("select", {x}, x.value().select(axis, index_), [axis, index, n](Grads& g, const Variable& dy) {
    g.add(0, place(unsqueeze(dy, axis), axis, index, 1, n));
  });
}

Variable concat(const std::vector<Variable>& parts, int64_t axis_) {
  std::vector<Tensor> values;
  std::vector<int64_t> sizes;
  for (const Variable& p : parts) values.push_back(p.value());
  Tensor y = concat(values, axis_);
  int axis = normal_axis("concat", axis_, y.rank());
  for (const Tensor& v : values) sizes.push_back(v.shape()[axis]);
  Inputs inputs(parts.begin(), parts.end());
  return attach_many("concat", inputs, {y}, [axis, sizes](Grads& g, const Variable& dy) {
    int64_t at = 0;
    for (size_t i = 0; i < sizes.size(); at += sizes[i++])
      if (g.needs(i)) g.add(i, slice(dy, axis, at, at + sizes[i]));
  })[0];
}

Variable stack(const std::vector<Variable>& parts, int64_t axis_) {
  std::vector<Tensor> values;
  for (const Variable& p : parts) values.push_back(p.value());
  Tensor y = stack(values, axis_);
  int axis = normal_axis("stack", axis_, y.rank());
  Inputs inputs(parts.begin(), parts.end());
  return attach_many("stack", inputs, {y}, [axis, n = parts.size()](Grads& g, const Variable& dy) {
    std::vector<Variable> slices = unstack(dy, axis);
    for (size_t i = 0; i < n; ++i) g.add(i, slices[i]);
  })[0];
}

std::vector<Variable> split(const Variable& x, const std::vector<int64_t>& sizes, int64_t axis_) {
  int axis = normal_axis("split", axis_, x.rank());
  std::vector<Tensor> pieces;
  int64_t at = 0, n = x.shape()[axis];
  for (int64_t s : sizes) {
    if (s < 0 || s > n - at) break;
    pieces.push_back(x.value().slice(axis, at, at + s));
    at += s;
  }
  if (at != n || pieces.size() != sizes.size())
    throw ShapeError(fmt::format("split: the sizes must add up to the axis; got {} for axis {} of {}",
                                 fmt::format("[{}]", fmt::join(sizes, ", ")), axis, to_string(x.shape())));
  return attach_many("split", {x}, pieces, [axis, count = sizes.size()](Grads& g) {
    std::vector<Variable> parts;
    for (size_t k = 0; k < count; ++k) parts.push_back(g.dy(k));
    g.add(0, concat(parts, axis));
  });
}

std::vector<Variable> chunk(const Variable& x, int64_t count, int64_t axis) {
  if (count < 1) throw ValueError(fmt::format("chunk: needs at least one piece; got {}", count));
  int64_t n = x.shape()[normal_axis("chunk", axis, x.rank())];
  if (n > 0) count = std::min(count, n);  // none is empty
  int64_t size = (n + count - 1) / count;
  std::vector<int64_t> sizes;
  if (n == 0) sizes.assign(static_cast<size_t>(count), 0);
  for (int64_t at = 0; at < n; at += size) sizes.push_back(std::min(size, n - at));
  return split(x, sizes, axis);
}

std::vector<Variable> unstack(const Variable& x, int64_t axis_) {
  int axis = normal_axis("unstack", axis_, x.rank());
  std::vector<Tensor> slices;
  for (int64_t i = 0; i < x.shape()[axis]; ++i) slices.push_back(x.value().select(axis, i));
  return attach_many("unstack", {x}, slices, [axis, count = slices.size()](Grads& g) {
    std::vector<Variable> parts;
    for (size_t k = 0; k < count; ++k) parts.push_back(g.dy(k));
    g.add(0, stack(parts, axis));
  });
}

}  // namespace heed
