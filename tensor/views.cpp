// Views: new shape, strides and offset on the same storage. And the two functions that may have to copy.
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
  Tensor t = *this;
  std::swap(t.shape_[i], t.shape_[j]);
  std::swap(t.strides_[i], t.strides_[j]);
  return t;
}

Tensor Tensor::permute(const Dims& axes) const {
  Tensor t = *this;
  unsigned seen = 0;
  if (axes.rank() == rank())
    for (int i = 0; i < rank(); ++i) {
      int from = normal_axis("permute", axes[i], rank());
      seen |= 1u << from;
      t.shape_[i] = shape_[from];
      t.strides_[i] = strides_[from];
    }
  if (axes.rank() != rank() || seen != (1u << rank()) - 1)
    throw ShapeError(
        fmt::format("permute: each axis must be named once; got {} for {}", to_string(axes), to_string(shape_)));
  return t;
}

Tensor Tensor::expand(const Shape& shape) const {
  require_sizes("expand", shape);
  bool fits = shape.rank() >= rank();
  for (int i = 1; fits && i <= rank(); ++i)
    fits = shape_[rank() - i] == 1 || shape_[rank() - i] == shape[shape.rank() - i];
  if (!fits)
    throw ShapeError(
        fmt::format("expand: only axes of size 1 can be repeated; got {} to {}", to_string(shape_), to_string(shape)));
  Tensor t = *this;
  t.strides_ = broadcast_strides(shape_, strides_, shape);
  t.shape_ = shape;
  return t;
}

Tensor Tensor::slice(int64_t axis, int64_t begin, int64_t end, int64_t step) const {
  int i = normal_axis("slice", axis, rank());
  int64_t n = shape_[i];
  int64_t b = begin < 0 ? begin + n : begin, e = end < 0 ? end + n : end;
  if (b < 0 || b > e || e > n || step < 1)
    throw IndexError(fmt::format("slice: needs 0 <= begin <= end <= size and step >= 1; got {}:{}:{} on axis {} of {}",
                                 begin, end, step, i, to_string(shape_)));
  Tensor t = *this;
  step = std::min(step, std::max<int64_t>(n, 1));  // a longer step also reaches only the first
  t.shape_[i] = (e - b + step - 1) / step;
  t.offset_ += b * strides_[i];
  t.strides_[i] *= step;
  return t;
}

Tensor Tensor::select(int64_t axis, int64_t index) const {
  int i = normal_axis("select", axis, rank());
  int64_t at = index < 0 ? index + shape_[i] : index;
  if (at < 0 || at >= shape_[i])
    throw IndexError(fmt::format("select: the index must lie in [{}, {}); got {} on axis {} of {}", -shape_[i],
                                 shape_[i], index, i, to_string(shape_)));
  Tensor t = *this;
  t.offset_ += at * strides_[i];
  t.shape_.erase(i);
  t.strides_.erase(i);
  return t;
}

Tensor Tensor::squeeze(int64_t axis) const {
  int i = normal_axis("squeeze", axis, rank());
  if (shape_[i] != 1)
    throw ShapeError(fmt::format("squeeze: the axis must have size 1; got axis {} of {}", i, to_string(shape_)));
  return select(i, 0);
}

Tensor Tensor::unsqueeze(int64_t axis) const {
  int i = normal_axis("unsqueeze", axis, rank() + 1);
  Tensor t = *this;
  t.strides_.insert(i, i < rank() ? strides_[i] * shape_[i] : 1);
  t.shape_.insert(i, 1);
  return t;
}

Tensor Tensor::as_strided(const Shape& shape, const Strides& strides, int64_t offset) const {
  require_sizes("as_strided", shape);
  bool fits = shape.rank() == strides.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) fits = strides[i] >= 0;
  if (!fits)
    throw ShapeError(fmt::format("as_strided: needs one stride for each axis, none negative; got {} with strides {}",
                                 to_string(shape), to_string(strides)));
  int64_t last = offset;
  bool inside = offset >= 0;
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t reach;
    inside = inside && !__builtin_mul_overflow(shape[i] - 1, strides[i], &reach) &&
             !__builtin_add_overflow(last, reach, &last);
  }
  auto available = static_cast<int64_t>(storage().bytes / size_of(dtype_));
  if (element_count(shape) > 0 && (!inside || last >= available))
    throw IndexError(fmt::format(
        "as_strided: the elements must lie inside the storage; got {} with strides {} from {} in {} elements",
        to_string(shape), to_string(strides), offset, available));
  Tensor t = *this;
  t.shape_ = shape;
  t.strides_ = strides;
  t.offset_ = offset;
  return t;
}

// Can these elements be read in row-major order as `shape` without moving any? Walk both shapes from the right: a group
// of old axes that is contiguous in itself may be cut anew into new axes.
bool Tensor::viewable_as(const Shape& shape, Strides& strides) const {
  strides = contiguous_strides(shape);
  if (count() == 0) return true;
  int old_axis = rank() - 1, new_axis = shape.rank() - 1;
  while (old_axis >= 0) {
    int64_t step = strides_[old_axis], room = shape_[old_axis--];
    while (old_axis >= 0 && (shape_[old_axis] == 1 || strides_[old_axis] == step * room)) room *= shape_[old_axis--];
    int64_t used = 1;
    while (new_axis >= 0 && used * shape[new_axis] <= room) {
      strides[new_axis] = step * used;
      used *= shape[new_axis--];
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
  Tensor t = *this;
  t.shape_ = resolve("view", *this, wanted);
  if (!viewable_as(t.shape_, t.strides_))
    throw ShapeError(fmt::format(
        "view: the strides do not allow it without a copy; got {} with strides {} to {}; hint: reshape copies",
        to_string(shape_), to_string(strides_), to_string(wanted)));
  return t;
}

Tensor Tensor::reshape(const Shape& wanted) const {
  Tensor t = *this;
  t.shape_ = resolve("reshape", *this, wanted);
  if (viewable_as(t.shape_, t.strides_)) return t;
  return contiguous().view(t.shape_);
}

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  ++copies;
  return clone();
}

Tensor Tensor::clone() const {
  Tensor t = empty(shape_, dtype_);
  copy_into(t, *this);
  return t;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  return cast(*this, dtype);
}

}  // namespace heed
