#include "tensor/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/error.h"

namespace heed {

Dims::Dims(std::initializer_list<int64_t> values) : Dims() {
  for (int64_t v : values) push_back(v);
}
Dims::Dims(const std::vector<int64_t>& values) : Dims() {
  for (int64_t v : values) push_back(v);
}

void Dims::push_back(int64_t value) {
  if (rank_ == kMaxRank) throw ShapeError(fmt::format("shape: a tensor has at most {} axes; got one more", kMaxRank));
  d_[rank_++] = value;
}
void Dims::insert(int at, int64_t value) {
  push_back(value);
  std::rotate(d_ + at, d_ + rank_ - 1, d_ + rank_);
}
void Dims::erase(int at) {
  std::copy(d_ + at + 1, d_ + rank_, d_ + at);
  --rank_;
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (int i = 0; i < dims.rank(); ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

void require_sizes(const char* operation, const Shape& shape) {
  int64_t room = 1;  // a size of 0 counts as 1 here: the strides of the other axes must not overflow either
  for (int64_t d : shape) {
    if (d < 0) throw ShapeError(fmt::format("{}: sizes must not be negative; got {}", operation, to_string(shape)));
    if (__builtin_mul_overflow(room, std::max<int64_t>(d, 1), &room) || room > (int64_t{1} << 46))
      throw ShapeError(fmt::format("{}: more elements than memory can hold; got {}", operation, to_string(shape)));
  }
}

int normal_axis(const char* operation, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    throw IndexError(fmt::format("{}: axis must lie in [{}, {}); got axis {}", operation, -rank, rank, axis));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  int lead = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    int64_t x = longer[lead + i], y = shorter[i];
    if (x != y && x != 1 && y != 1)
      throw ShapeError(fmt::format(
          "{}: sizes must be equal or 1, aligned at the right; got a {} and b {} (axis {}: {} vs {})", operation,
          to_string(a), to_string(b), i - shorter.rank(), a.rank() >= b.rank() ? x : y, a.rank() >= b.rank() ? y : x));
    out[lead + i] = x == 1 ? y : x;
  }
  return out;
}

Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to) {
  Strides out = to;
  int lead = to.rank() - from.rank();
  for (int i = 0; i < to.rank(); ++i) out[i] = i < lead || (from[i - lead] == 1 && to[i] != 1) ? 0 : strides[i - lead];
  return out;
}

}  // namespace heed
