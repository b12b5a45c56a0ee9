// The growing memory: all keys and values of the words so far.
//
//   joined      copies all earlier words at every step: T^2 / 2 rows for T words. Differentiable.
//   HeadCache   doubles its room when it is full: each row is written once, and copied less than twice on average.
//               For decoding only: it carries no gradient.
//
// B batch, G heads of keys and values (those of the queries, or fewer), S words, K and V widths of a head.
#pragma once

#include "nn/attention/memories/memory.h"
#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutCache{
    .names = {"G3", "cache", "key-value cache"},
    .formula = "K_t = [K_(t-1); k_t],  V_t = [V_(t-1); v_t]: each step projects only one word",
    .paper = {"Shazeer, 2019", 2019, 1},
    .idea =
        "A decoder that writes word by word keeps the keys and values of the earlier words. Each step then projects "
        "one word and computes one row of scores. Without the cache the whole sentence is computed again for each "
        "word.",
    .wrong = "With rotary positions a cached key keeps the angle of its own position when later words are added.",
    .shapes = "[B, G, S, K] and [B, G, S, V]",
    .cost = "2 S D products per step, where the whole pass has 2 S^2 D; G S (K + V) numbers per sentence",
    .own = {"cache_is_the_parallel_pass", "cache_holds_what_joined_holds", "cache_moves_with_its_rows"},
    .cases = "MultiHeadAttention",
};

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
