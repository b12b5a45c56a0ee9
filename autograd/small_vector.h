// A vector whose first N elements live inside it: nodes have few edges and one output, and should need no second block.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace heed {

template <class T, size_t N>
class SmallVector {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return i < N ? first_[i] : rest_[i - N]; }
  const T& operator[](size_t i) const { return i < N ? first_[i] : rest_[i - N]; }
  T& grow() {  // one more, as made by T()
    if (size_ >= N) rest_.emplace_back();
    return (*this)[size_++];
  }
  void push_back(T value) { grow() = std::move(value); }
  void clear() {
    for (size_t i = 0; i < size_ && i < N; ++i) first_[i] = T();
    rest_.clear();
    size_ = 0;
  }

 private:
  size_t size_ = 0;
  std::array<T, N> first_{};
  std::vector<T> rest_;
};

}  // namespace heed
