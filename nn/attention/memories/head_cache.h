// The growing memory: all keys and values of the words so far.
//
//   joined      copies all earlier words at every step: T^2 / 2 rows for T words. Differentiable.
//   HeadCache   doubles its room when it is full: each row is written once, and copied less than twice on average.
//               For decoding only: it carries no gradient.
//
// B batch, G heads of keys and values (those of the queries, or fewer), S words, K and V widths of a head.
#pragma once

#include "nn/attention/memories/memory.h"

namespace heed::nn {

HeadMemory joined(const HeadMemory& before, const HeadMemory& after);  // along S

class HeadCache final : public AttentionMemory {
 public:
  void append(const HeadMemory& words) override;
  HeadMemory view() const override;
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }

 private:
  void make_room(const HeadMemory& words);
  Tensor keys_, values_;  // [B, G, capacity, K], [B, G, capacity, V]
  int64_t words_ = 0;
};

}  // namespace heed::nn
