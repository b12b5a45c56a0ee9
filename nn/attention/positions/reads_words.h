// Marks a position scheme that reads the words themselves, in self-attention:
//
//   z_s  = marks_of(x)_s                            x [B, S, D], the layer's input -> m numbers for each head and word
//   e_ts <- e_ts + bias_of_marks(z)_ts              [B, H, S, m] -> [B, H, T, S]
//
// Multi-head attention keeps the marks as the last columns of its keys, so memories, beams and segments carry them
// without knowing of them. The marks of padding are 0, which must mean nothing to the scheme. The queries are the
// last T of the S words. It has a bias (has_bias), but HeadPosition::bias is not asked for it: the bias is made once
// for a call and added to that of the caller, so every evaluator that takes a bias can do it.
//
// clang-format off
//   keys [B, G, S, K + H/G m]    | K entries of k_s, prepared | marks of the H/G heads |
// clang-format on
//
// B batch, T queries, S keys, D width of the model, H query heads, G key-value heads, K width of a head.
#pragma once

#include <string>

#include "autograd/variable.h"
#include "nn/attention/memories/memory.h"

namespace heed::nn {

struct ReadsWords {
  virtual ~ReadsWords() = default;
  ReadsWords() = default;
  ReadsWords(ReadsWords&&) = default;
  ReadsWords& operator=(ReadsWords&&) = default;

  virtual int64_t marks() const { return 1; }              // m
  virtual Variable marks_of(const Variable& x) const = 0;  // [B, n, D] -> [B, n, H m], the m of a head side by side
  // `causal`: later keys are never read, so their bias need not be right.
  virtual Variable bias_of_marks(const Variable& marks, int64_t queries, bool causal) const = 0;
};

// The memory with the marks of its words, the input x [B, n, D], after its keys. words bool [B, n]: false for padding;
// undefined: none.
HeadMemory with_marks(const ReadsWords& scheme, const HeadMemory& memory, const Variable& x, const Tensor& words);
// The same memory without them, and the marks for H heads, [B, H, S, m]; words bool [B, S], where this call knows them.
struct Unmarked {
  HeadMemory memory;
  Variable marks;
};
Unmarked without_marks(const ReadsWords& scheme, const HeadMemory& memory, int64_t heads, const Tensor& words);

}  // namespace heed::nn
