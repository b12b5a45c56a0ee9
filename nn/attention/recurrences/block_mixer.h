// A recurrent mixer whose words belong to blocks of C: the mini-batches of a memory that learns, the segments of one
// that compresses. At the end of a block the state changes in another way than after its other words.
//
// Each sentence counts its own words, so padding anywhere belongs to no block. To compute a batch by matrix products
// although its sentences are at different places of their blocks, the words are put into columns:
//
// clang-format off
//   place in the block   0 1 2 3 0 1      C = 4; sentence 1 had two words before, sentence 2 none
//   sentence 1               a b c d
//   sentence 2           e f g            columns without a word change nothing
// clang-format on
//
// A piece is what the columns have of one block. B batch, H heads, T words, n columns of a piece, K = D / H.
#pragma once

#include <vector>

#include "nn/attention/recurrences/recurrent_mixer.h"

namespace heed::nn {

struct BlockMixer : RecurrentMixer {
 protected:
  using RecurrentMixer::RecurrentMixer;
  struct Piece {
    std::vector<Variable> parts;  // [B, H, n, ..] each, as `parts` gave them
    int64_t from, size;           // the place of the first column in the block; C
    Tensor words;                 // bool [B, 1, n, 1]; undefined: all columns are words
    int64_t columns() const { return parts[0].size(2); }
    bool ends() const { return from + columns() == size; }
    // `ended` for sentences whose block ends with this piece, `open` for the others.
    Variable after(const Variable& ended, const Variable& open) const;
    Variable words_of(const Variable& x) const;  // x [B, H, n, ..], 0 where there is no word
    // `open` [B, H, C, ..] with x in the places of the words of this piece.
    Variable placed(const Variable& open, const Variable& x) const;
  };
  virtual int64_t block() const = 0;                                              // C
  virtual std::vector<Variable> start(int64_t sentences, DType dtype) const = 0;  // the state before the first word
  // Of words [B, T, D]: [B, H, T, ..] each. `there` bool [B, T]: false where x has no word and is 0; undefined: all.
  virtual std::vector<Variable> parts(const Variable& x, const Tensor& there) const = 0;
  virtual Variable read(const Piece& piece, std::vector<Variable>& state) const = 0;  // [B, H, n, K]
  virtual Variable finished(const Variable& x, const Variable& o) const = 0;          // o [B, T, D], the heads joined

 private:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const final;
};

}  // namespace heed::nn
