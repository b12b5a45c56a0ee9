// One loop for all elementwise kernels: N operands of one shape and any strides, walked row by row.
//
// Axes that lie behind one another in every operand are merged first, so a contiguous operation is one long row and a
// broadcast of a bias over a matrix is M rows. The body gets a row: N offsets, the step of each operand along the row,
// and the length. Rows are shared out over threads; a single long row is cut.
#pragma once

#include <algorithm>

#include "tensor/shape.h"
#include "tensor/thread_pool.h"

namespace heed {

constexpr int64_t kElementGrain = 16384;  // elements a thread must have to be worth waking

template <int N>
struct StridedLoop {
  int rank = 0;
  int64_t shape[kMaxRank];
  int64_t strides[N][kMaxRank];
  int64_t count = 1;

  StridedLoop(const Shape& full, const Strides (&given)[N]) {
    for (int axis = 0; axis < full.rank(); ++axis) {
      count *= full[axis];
      if (full[axis] == 1) continue;
      bool merge = rank > 0;
      for (int i = 0; i < N && merge; ++i) merge = strides[i][rank - 1] == given[i][axis] * full[axis];
      if (merge) {
        shape[rank - 1] *= full[axis];
      } else {
        shape[rank++] = full[axis];
      }
      for (int i = 0; i < N; ++i) strides[i][rank - 1] = given[i][axis];
    }
    if (rank == 0) {  // a scalar is one row of one
      rank = 1;
      shape[0] = 1;
      for (int i = 0; i < N; ++i) strides[i][0] = 0;
    }
  }

  // body(const int64_t (&offset)[N], const int64_t (&step)[N], int64_t length)
  template <class Body>
  void run(const Body& body) const {
    if (count == 0) return;
    int64_t length = shape[rank - 1], rows = count / length;
    int64_t step[N];
    for (int i = 0; i < N; ++i) step[i] = strides[i][rank - 1];
    if (rows == 1) {  // cut one long row, at multiples of 64 elements
      parallel_for(0, (length + 63) / 64, kElementGrain / 64, [&](int64_t b, int64_t e) {
        int64_t offset[N], first = b * 64, last = std::min(e * 64, length);
        for (int i = 0; i < N; ++i) offset[i] = first * step[i];
        body(offset, step, last - first);
      });
      return;
    }
    parallel_for(0, rows, std::max<int64_t>(1, kElementGrain / length), [&](int64_t b, int64_t e) {
      int64_t index[kMaxRank] = {}, offset[N] = {};
      int64_t rest = b;
      for (int axis = rank - 2; axis >= 0; --axis) {
        index[axis] = rest % shape[axis];
        rest /= shape[axis];
        for (int i = 0; i < N; ++i) offset[i] += index[axis] * strides[i][axis];
      }
      for (int64_t row = b; row < e; ++row) {
        body(offset, step, length);
        for (int axis = rank - 2; axis >= 0; --axis) {
          for (int i = 0; i < N; ++i) offset[i] += strides[i][axis];
          if (++index[axis] < shape[axis]) break;
          for (int i = 0; i < N; ++i) offset[i] -= strides[i][axis] * shape[axis];
          index[axis] = 0;
        }
      }
    });
  }
};

}  // namespace heed
