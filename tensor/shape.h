// Shapes and strides, held inline: rank 0 to 8, no heap.
//
// The element at index (i, j, k) of a tensor stands at offset + i*stride[0] + j*stride[1] + k*stride[2] of its storage.
// Strides count elements, are never negative, and are 0 on an axis that was expanded.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace heed {

constexpr int kMaxRank = 8;

// A short list of integers: sizes, strides, axes.
class Dims {
 public:
  Dims() { d_[0] = d_[1] = d_[2] = 0; }
  // Word by word: a copy in wide registers would wait for the narrow writes that came just before it.
  Dims(const Dims& other) : rank_(other.rank_) { take(other); }
  Dims& operator=(const Dims& other) {
    rank_ = other.rank_;
    take(other);
    return *this;
  }
  Dims(std::initializer_list<int64_t> values);
  explicit Dims(const std::vector<int64_t>& values);

  int rank() const { return rank_; }
  int64_t operator[](int i) const { return d_[i]; }
  int64_t& operator[](int i) { return d_[i]; }
  const int64_t* begin() const { return d_; }
  const int64_t* end() const { return d_ + rank_; }
  void push_back(int64_t value);
  void insert(int at, int64_t value);
  void erase(int at);
  bool operator==(const Dims& other) const {
    if (this == &other) return true;  // of one layout
    bool equal = rank_ == other.rank_;
    for (int i = 0; equal && i < rank_; ++i) equal = d_[i] == other.d_[i];
    return equal;
  }

 private:
  void take(const Dims& other) {
    d_[0] = other.d_[0];
    d_[1] = other.d_[1];
    d_[2] = other.d_[2];
    if (rank_ > 3) [[unlikely]]
      std::memcpy(d_ + 3, other.d_ + 3, sizeof(int64_t) * (kMaxRank - 3));
  }
  int rank_ = 0;
  int64_t d_[kMaxRank];
};
using Shape = Dims;
using Strides = Dims;

inline int64_t element_count(const Shape& shape) {  // product of the sizes, 1 for a scalar
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
inline Strides contiguous_strides(const Shape& shape) {  // row-major
  Strides strides = shape;
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape[i] > 1 ? shape[i] : 1;
  }
  return strides;
}
std::string to_string(const Dims& dims);  // "[32, 128]"

// ShapeError in the name of `operation` for a negative size, and for more elements than any machine's memory holds:
// behind this check no product of sizes overflows.
void require_sizes(const char* operation, const Shape& shape);

// Axis -1 is the last. Throws IndexError in the name of `operation`.
int normal_axis(const char* operation, int64_t axis, int rank);

// NumPy's rule: align at the right; sizes must be equal, or one of them 1. Throws ShapeError naming both.
Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b);

// Strides of a tensor of shape `from` read as shape `to`: 0 on every axis that is repeated.
Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to);

}  // namespace heed
