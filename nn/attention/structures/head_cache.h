// Keys and values that stay: a source read by many queries, and the past of a decoder that goes word by word.
//
// Causal attention never looks ahead, so the keys and values of past words do not change when a word is added
// (Shazeer, "Fast transformer decoding", 2019): a step projects one word and reads the rest from here.
//
//   joined      copies all of the past at every step: T^2 / 2 rows for T words. Differentiable.
//   HeadCache   has room to spare and doubles it: each row is written once and moved at most once more on average.
//               For decoding only: it carries no gradient.
//
// B batch, G heads of keys and values (those of the queries, or fewer), S words, K and V widths of a head.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// Keys and values projected and cut into heads.
struct HeadMemory {
  Variable keys, values;  // [B, G, S, K], [B, G, S, V]
};
HeadMemory joined(const HeadMemory& before, const HeadMemory& after);  // along S

class HeadCache {
 public:
  void append(const HeadMemory& words);  // [B, G, n, K] and [B, G, n, V]: one word or several
  HeadMemory view() const;               // all words so far; holds until the next append; undefined before the first
  void keep(const Tensor& rows);         // rows [B'] i64: row i becomes what row rows[i] was
  int64_t words() const { return words_; }
  int64_t bytes() const;  // of the words, without the room to spare: what a position costs, times positions

 private:
  void make_room(const HeadMemory& words);
  Tensor keys_, values_;  // [B, G, capacity, K], [B, G, capacity, V]
  int64_t words_ = 0;
};

}  // namespace heed::nn
