// Views: a new shape, strides and offset on the same storage. Also the functions that copy only if they have to.
#include <fmt/format.h>

#include <algorithm>

#include "tensor/elementwise.h"
#include "tensor/tensor.h"

namespace heed {
namespace {
thread_local int64_t copies = 0;
}
int64_t copies_made() { return copies; }

Tensor Tensor::transpose(int64_t a, int64_t b) const {
  int i = normal_axis("transpose", a, rank()), j = normal_axis("transpose", b, rank());
  Shape sizes = shape();
  Strides steps = strides();
  std::swap(sizes[i], sizes[j]);
  std::swap(steps[i], steps[j]);
  return with(sizes, steps, offset_);
}

Tensor Tensor::permute(const Dims& axes) const {
  Shape sizes = axes;
  Strides steps = axes;
  unsigned seen = 0;
  for (int i = 0; i < axes.rank() && axes.rank() == rank(); ++i) {
    int from = normal_axis("permute", axes[i], rank());
    seen |= 1u << from;
    sizes[i] = shape()[from];
    steps[i] = strides()[from];
  }
  if (axes.rank() != rank() || seen != (1u << rank()) - 1)
    throw ShapeError(
        fmt::format("permute: each axis must be named once; got {} for {}", to_string(axes), to_string(shape())));
  return with(sizes, steps, offset_);
}

Tensor Tensor::expand(const Shape& wanted) const {
  require_sizes("expand", wanted);
  bool fits = wanted.rank() >= rank();
  for (int i = 1; fits && i <= rank(); ++i)
    fits = shape()[rank() - i] == 1 || shape()[rank() - i] == wanted[wanted.rank() - i];
  if (!fits)
    throw ShapeError(fmt::format("expand: only axes of size 1 can be repeated; got {} to {}", to_string(shape()),
                                 to_string(wanted)));
  return with(wanted, broadcast_strides(shape(), strides(), wanted), offset_);
}

Tensor Tensor::slice(int64_t axis, int64_t begin, int64_t end, int64_t step) const {
  int i = normal_axis("slice", axis, rank());
  int64_t n = shape()[i];
  int64_t b = begin < 0 ? begin + n : begin, e = end < 0 ? end + n : end;
  if (b < 0 || b > e || e > n || step < 1)
    throw IndexError(fmt::format("slice: needs 0 <= begin <= end <= size and step >= 1; got {}:{}:{} on axis {} of {}",
                                 begin, end, step, i, to_string(shape())));
  step = std::min(step, std::max<int64_t>(n, 1));  // a longer step also reaches the first element only
  Shape sizes = shape();
  Strides steps = strides();
  sizes[i] = (e - b + step - 1) / step;
  steps[i] *= step;
  return with(sizes, steps, offset_ + b * strides()[i]);
}

Tensor Tensor::select(int64_t axis, int64_t index) const {
  int i = normal_axis("select", axis, rank());
  int64_t at = index < 0 ? index + shape()[i] : index;
  if (at < 0 || at >= shape()[i])
    throw IndexError(fmt::format("select: the index must lie in [{}, {}); got {} on axis {} of {}", -shape()[i],
                                 shape()[i], index, i, to_string(shape())));
  Shape sizes = shape();
  Strides steps = strides();
  sizes.erase(i);
  steps.erase(i);
  return with(sizes, steps, offset_ + at * strides()[i]);
}

Tensor Tensor::squeeze(int64_t axis) const {
  int i = normal_axis("squeeze", axis, rank());
  if (shape()[i] != 1)
    throw ShapeError(fmt::format("squeeze: the axis must have size 1; got axis {} of {}", i, to_string(shape())));
  return select(i, 0);
}

Tensor Tensor::unsqueeze(int64_t axis) const {
  int i = normal_axis("unsqueeze", axis, rank() + 1);
  Shape sizes = shape();
  Strides steps = strides();
  steps.insert(i, i < rank() ? steps[i] * sizes[i] : 1);
  sizes.insert(i, 1);
  return with(sizes, steps, offset_);
}

Tensor Tensor::as_strided(const Shape& wanted, const Strides& steps, int64_t offset) const {
  require_sizes("as_strided", wanted);
  bool fits = wanted.rank() == steps.rank();
  for (int i = 0; fits && i < wanted.rank(); ++i) fits = steps[i] >= 0;
  if (!fits)
    throw ShapeError(fmt::format("as_strided: needs one stride for each axis, none negative; got {} with strides {}",
                                 to_string(wanted), to_string(steps)));
  int64_t last = offset;
  bool inside = offset >= 0;
  for (int i = 0; i < wanted.rank(); ++i) {
    int64_t reach;
    inside = inside && !__builtin_mul_overflow(wanted[i] - 1, steps[i], &reach) &&
             !__builtin_add_overflow(last, reach, &last);
  }
  auto available = static_cast<int64_t>(storage().bytes / size_of(dtype_));
  if (element_count(wanted) > 0 && (!inside || last >= available))
    throw IndexError(fmt::format(
        "as_strided: the elements must lie inside the storage; got {} with strides {} from {} in {} elements",
        to_string(wanted), to_string(steps), offset, available));
  return with(wanted, steps, offset);
}

// Can the elements be read in row-major order as shape `wanted` without moving any? Walks both shapes from the right: a
// group of old axes that is contiguous in itself may be divided into new axes.
bool Tensor::viewable_as(const Shape& wanted, Strides& steps) const {
  steps = contiguous_strides(wanted);
  if (is_contiguous() || count() == 0) return true;
  int old_axis = rank() - 1, new_axis = wanted.rank() - 1;
  while (old_axis >= 0) {
    int64_t step = strides()[old_axis], room = shape()[old_axis--];
    while (old_axis >= 0 && (shape()[old_axis] == 1 || strides()[old_axis] == step * room)) room *= shape()[old_axis--];
    int64_t used = 1;
    while (new_axis >= 0 && used * wanted[new_axis] <= room) {
      steps[new_axis] = step * used;
      used *= wanted[new_axis--];
    }
    if (used != room) return false;
  }
  return true;
}

namespace {
Shape resolve(const char* operation, const Tensor& t, const Shape& wanted) {
  Shape shape = wanted;
  int free_axis = -1;
  int64_t known = 1;
  bool valid = true;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1 && free_axis < 0)
      free_axis = i;
    else
      valid = valid && shape[i] >= 0 && !__builtin_mul_overflow(known, shape[i], &known);
  }
  if (free_axis >= 0 && known > 0) shape[free_axis] = t.count() / known, known *= shape[free_axis];
  valid = valid && known == t.count() && (free_axis < 0 || shape[free_axis] >= 0);
  if (!valid)
    throw ShapeError(fmt::format("{}: the number of elements must stay; got {} ({} elements) to {}", operation,
                                 to_string(t.shape()), t.count(), to_string(wanted)));
  return shape;
}
}  // namespace

Tensor Tensor::view(const Shape& wanted) const {
  Shape sizes = resolve("view", *this, wanted);
  Strides steps;
  if (!viewable_as(sizes, steps))
    throw ShapeError(fmt::format(
        "view: the strides do not allow it without a copy; got {} with strides {} to {}; hint: reshape copies",
        to_string(shape()), to_string(strides()), to_string(wanted)));
  return with(sizes, steps, offset_);
}

Tensor Tensor::reshape(const Shape& wanted) const {
  Shape sizes = resolve("reshape", *this, wanted);
  Strides steps;
  return viewable_as(sizes, steps) ? with(sizes, steps, offset_) : contiguous().view(sizes);
}

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  ++copies;
  return clone();
}

Tensor Tensor::clone() const {
  Tensor t = empty(shape(), dtype_);
  copy_into(t, *this);
  return t;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  return cast(*this, dtype);
}

}  // namespace heed
