// The memory of a mixer that needs no words of the past: a few tensors whose size does not grow, such as a running sum.
// The mixer reads and replaces them in `extend`, and counts the words with `append`. It carries gradients; under
// NoGrad it builds no graph. B batch.
#pragma once

#include <vector>

#include "nn/attention/memories/memory.h"

namespace heed::nn {

class StateMemory final : public AttentionMemory {
 public:
  std::vector<Variable> state = {};  // [B, ..] each; empty before the first word

  bool keeps_inputs() const override { return true; }
  void append(const HeadMemory& words) override { words_ += words.keys.size(2); }  // [B, 1, n, D]: counted, not kept
  HeadMemory view() const override { return {}; }
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }

 private:
  int64_t words_ = 0;
};

// The state of a memory that a mixer made itself. ValueError for a memory of another kind.
StateMemory& state_memory(const char* mixer, AttentionMemory& memory);
// The mask of the last n words, bool [B, n]; undefined if `words` is.
Tensor of_last(const Tensor& words, int64_t n);

}  // namespace heed::nn
