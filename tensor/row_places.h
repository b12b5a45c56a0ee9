// Which rows of a larger batch those at hand are: row b of `rows` is row first + b step of `all`.
//
// clang-format off
//   one machine     0 1 2 3 4 5                       of a batch of 6 sentences
//   two machines    0 2 4 {3, 0, 2, 6}   1 3 5 {3, 1, 2, 6}
// clang-format on
//
// Machines that share a batch draw for their rows what one machine draws for the same rows. So dropout and the noise of
// a stage do not depend on how many machines there are. This applies to tensors whose axis `axis` is the rows, or the
// rows times something else (heads, blocks), if their other axes are those of the whole batch.
#pragma once

#include <cstdint>

#include "tensor/scope.h"
#include "tensor/tensor.h"

namespace heed {

struct RowPlaces {
  int64_t rows = 0, first = 0, step = 1, all = 0;  // rows 0: the batch is not shared
  int axis = 0;

  bool fit(const Shape& shape) const;
  int64_t whole(int64_t size) const { return size / rows * all; }  // of an axis of this size, in the whole batch
  int64_t place(int64_t i, int64_t size) const {                   // of entry i of such an axis
    const int64_t each = size / rows;
    return (first + i / each * step) * each + i % each;
  }
  int64_t whole_count(const Shape& shape) const;  // elements of the tensor of the whole batch
};

RowPlaces row_places();  // of this thread's batch

// While it lives, the batch of this thread has these rows. It must outlive the backward pass.
class RowScope {
 public:
  explicit RowScope(const RowPlaces& places);

 private:
  ScopedValue<RowPlaces> scope_;
};

// Tensor dropout() of tensor/elementwise.h by place: element i of the whole batch has word i of the stream.
Tensor placed_dropout(const Tensor& x, double p, uint64_t seed, uint64_t offset, const RowPlaces& places);

}  // namespace heed
