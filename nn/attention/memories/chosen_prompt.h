// A memory that forgets most of the prompt, once: the first append is the prompt, which is read in full, and then each
// head keeps the words that the end of the prompt reads most (SnapKV, Li et al., NeurIPS 2024, section 4):
//
//   votes_s = sum over the last w queries t of the prompt of w_ts        for the words s before the last w
//   pooled_s = (votes_(s - p) + .. + votes_(s + p)) / (2 p + 1)          0 beyond the first and the last of them
//   kept      the c - w words with the largest pooled votes, the earlier of equals, in their order, and the last w
//
// Words that come later are all kept. A prompt of at most c words is kept as it is. Each head of queries chooses words
// of its own, so that after a choice the memory has H heads of keys also where the prompt had fewer (G). Padding gets
// no votes and is kept only where there are too few words. It carries no gradient.
//
// The heads differ in which words they keep, so `kept()` says only how many there are and which of them are padding.
// B batch, G heads of keys and values, H heads of queries, L words that are kept, K and V widths of a head.
#pragma once

#include "nn/attention/memories/memory.h"

namespace heed::nn {

struct PromptBudget {
  int64_t capacity = 2048, window = 32, pooled = 5;  // c, w, 2 p + 1
};

class ChosenPrompt final : public AttentionMemory {
 public:
  explicit ChosenPrompt(const PromptBudget& budget) : budget_(budget) {}  // capacity >= window
  void append(const HeadMemory& words) override;
  HeadMemory view() const override;
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  KeptKeys kept() const override { return kept_after(0); }
  KeptKeys kept_after(int64_t n) const override;
  bool reads_weights() const override { return !decided_; }
  void saw(const Tensor& weights) override;
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }
  const Tensor& chosen() const { return at_; }  // i64 [B, H, c]: the words of the prompt that are kept, or undefined

 private:
  PromptBudget budget_;
  bool decided_ = false;  // has the prompt been read?
  int64_t words_ = 0;
  Tensor keys_, values_;  // [B, G or H, L, K], [B, G or H, L, V]
  Tensor is_word_;        // bool [B, T] of the prompt, false for padding; undefined: no padding
  Tensor at_;             // i64 [B, H, c]
  int64_t prompt_ = 0;    // its number of words
};

}  // namespace heed::nn
