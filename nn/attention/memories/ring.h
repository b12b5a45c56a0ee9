// The ring keeps the keys and values of the last words only, for scopes that reach back W words. Decoding 10,000 words
// then takes the memory of about 2 W words.
//
// When n words are appended at once, it keeps W + n rows, because the first of the n still sees the W words before it.
// The next append drops the rows that no query can see any more. The rows are stored in order, in twice the room that
// they need. When they reach its end, they are moved to its beginning: at most one move per row on average.
#pragma once

#include <algorithm>

#include "nn/attention/memories/memory.h"

namespace heed::nn {

class RingMemory final : public AttentionMemory {
 public:
  explicit RingMemory(int64_t reach) : reach_(reach) {}  // W
  void append(const HeadMemory& words) override;
  HeadMemory view() const override;
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  KeptKeys kept() const override { return {.first = words_ - kept_, .end = words_}; }
  KeptKeys kept_after(int64_t n) const override {
    return {.first = words_ - std::min(kept_, reach_), .end = words_ + n};
  }
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }

 private:
  void make_room(const HeadMemory& words, int64_t left);
  int64_t reach_, words_ = 0, kept_ = 0, begin_ = 0;
  Tensor keys_, values_;  // [B, G, room, K], [B, G, room, V]; rows begin_ .. begin_ + kept_ - 1 are kept
};

}  // namespace heed::nn
