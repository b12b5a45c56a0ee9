// The memory of a mixer that has no method for one word at a time, so that it computes all words again: all inputs so
// far, [B, S, D]. It carries gradients; under NoGrad it builds no graph. B batch, S words so far, D width of the model.
#pragma once

#include "nn/attention/memories/memory.h"

namespace heed::nn {

class InputMemory final : public AttentionMemory {
 public:
  bool keeps_inputs() const override { return true; }
  void append(const HeadMemory& words) override;  // [B, 1, n, D] as the keys, no values
  HeadMemory view() const override;               // [B, 1, S, D] as the keys
  void keep(const Tensor& rows) override;
  int64_t words() const override { return inputs_.defined() ? inputs_.size(2) : 0; }
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }

 private:
  Variable inputs_;  // [B, 1, S, D]
};

}  // namespace heed::nn
