// Memory for the versions of ladder.h: an array of floats, or the same array with a counter of reads and writes.
//
//   In is `const float*` when the time is measured, and `CountedTouches<const float>` when memory accesses are counted.
//   The same code of ladder.h is compiled for both.
//
// A memory access (a touch) is one float read or written; a vector of 16 floats is 16 accesses. A jump is an access
// that is neither in the cache line (64 bytes) of the last access to the same matrix nor in the next line, which the
// processor loads in advance.
#pragma once

#include <cstdint>

#include "tensor/kernels/simd.h"

namespace heed {

struct Tally {
  int64_t touches = 0, jumps = 0;
  int64_t line = -1;  // cache line of the last access: its address / 64
};

template <class T>
class CountedTouches {
 public:
  CountedTouches(T* p, Tally* tally) : p_(p), tally_(tally) {}
  operator CountedTouches<const T>() const { return {p_, tally_}; }
  CountedTouches operator+(int64_t i) const { return {p_ + i, tally_}; }
  T& operator[](int64_t i) const { return *touch(i, 1); }
  T* touch(int64_t i, int64_t floats) const {
    auto line = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p_ + i) / 64);
    tally_->touches += floats;
    if (tally_->line >= 0 && line != tally_->line && line != tally_->line + 1) ++tally_->jumps;
    tally_->line = line;
    return p_ + i;
  }

 private:
  T* p_;
  Tally* tally_;
};

// Reads or writes kWidth neighbours with one instruction; only `n` of them at the end of a row.
constexpr int64_t kWidth = kLanes<float>;
inline Lanes<float> get(const float* p, int64_t i) { return load(p + i); }
inline Lanes<float> get(const CountedTouches<const float>& p, int64_t i) { return load(p.touch(i, kWidth)); }
inline void put(float* p, int64_t i, Lanes<float> v, int64_t n) {
  n < kWidth ? store_first(p + i, v, n) : store(p + i, v);
}
inline void put(const CountedTouches<float>& p, int64_t i, Lanes<float> v, int64_t n) {
  put(p.touch(i, n < kWidth ? n : kWidth), 0, v, n);
}

}  // namespace heed
