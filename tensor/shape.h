// Shapes and strides, stored inline: rank 0 to 8, no heap memory.
//
// The element at index (i, j, k) of a tensor is number offset + i*stride[0] + j*stride[1] + k*stride[2] of its storage.
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
  // Copied word by word: a copy through wide registers would stall on the narrow writes just before it (store-to-load
  // forwarding fails).
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
    if (this == &other) return true;  // the same object, often that of a shared layout
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

// ShapeError, in the name of `operation`, for a negative size and for more elements than any machine's memory holds.
// After this check no product of sizes overflows.
void require_sizes(const char* operation, const Shape& shape);

// Axis -1 is the last. Throws IndexError in the name of `operation`.
int normal_axis(const char* operation, int64_t axis, int rank);

// NumPy's broadcasting rule: align at the right; sizes must be equal, or one of them 1. The ShapeError shows both.
Shape broadcast_shape(const char* operation, const Shape& a, const Shape& b);

// The strides that read a tensor of shape `from` as shape `to`: 0 on every repeated axis.
Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to);

}  // namespace heed
