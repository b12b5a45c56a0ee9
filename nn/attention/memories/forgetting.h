// A memory that forgets: it keeps a bounded number of keys and values, not always the latest ones. When a word is
// appended to a full memory, each head of each row drops one key, which never comes back:
//
// clang-format off
//   kept   [ the first s words | any others, at most k | the last w words, the new one among them ]
//   drop   one of the others: that with the smallest sum of weights so far; the earliest of equals
// clang-format on
//
// With k = 0 no weights are summed, and the earliest of the others is dropped: the first s words and the last w are
// left, in all heads (evaluators/streaming.h). With s = 0 each key-value head has the k words that its own query heads
// read most, and the last w (evaluators/heavy_hitters.h). Padding is never one of the first or last words, and is
// dropped before any word, so it is at the same keys of all heads.
//
// Rows and heads drop different words, so `kept().at` says which are there: [B, L], or [B, G, L] with k > 0. Words come
// one at a time, since each of them reads other keys. It carries no gradient. B batch, G heads of keys and values, H
// heads of queries, L words that are kept, K and V widths of a head.
#pragma once

#include "nn/attention/memories/memory.h"

namespace heed::nn {

struct Budget {
  int64_t first = 0, heavy = 0, last = 1;  // s, k, w
  bool renumbered = false;  // keys are kept before their rotation; their places are 0, 1, .. in the memory
};

class ForgettingMemory final : public AttentionMemory {
 public:
  explicit ForgettingMemory(const Budget& budget);  // ValueError for a negative number, or no last word
  void append(const HeadMemory& words) override;    // one word; ValueError for several
  HeadMemory view() const override;
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  KeptKeys kept() const override;
  KeptKeys kept_after(int64_t n) const override;  // of one word; of several, before they come: all
  bool one_word_at_a_time() const override { return true; }
  bool keeps_unturned() const override { return budget_.renumbered; }
  bool reads_weights() const override { return budget_.heavy > 0; }
  void saw(const Tensor& weights) override;
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }

 private:
  Tensor staying() const;         // [B, G, L or L - 1] i64: which of the keys stay when another word comes
  Tensor number_of_next() const;  // [B, G, 1] i64
  Tensor of_heads(const Tensor& at) const;
  Budget budget_;
  int64_t words_ = 0;
  Tensor keys_, values_;          // [B, G, L, K], [B, G, L, V]
  Tensor at_, is_word_, weight_;  // [B, G, L]: number of the word i64; false for padding; sum of its weights f64
};

}  // namespace heed::nn
