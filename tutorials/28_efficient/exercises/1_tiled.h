// Exercise 28.1: tiled attention of one query, in one pass over the keys.
//
//   e_s = scale q . k_s                       where word s is not padding
//   w_s = exp(e_s) / sum_s' exp(e_s')         the softmax
//   context = sum_s w_s v_s,    log_sum_exp = log sum_s exp(e_s)
//
// The keys and values come in blocks, and each block comes once: next() returns the next one, and nullptr after the
// last. So the weights cannot be known before the last block. Keep three things, and bring them up to date with each
// block that has a word:
//
//   m' = max(m, the largest e of the block)    r = exp(m - m')            m = -inf, l = 0, a = 0 at first
//   l' = r l + sum exp(e_s - m')
//   a' = r a + sum exp(e_s - m') v_s
//
//   context = a / l,    log_sum_exp = m + log l
//
// Scores may be as large as 1000. A block may consist of padding only, also the first. If all words are padding, the
// context is 0 (as many zeros as a value has numbers) and log_sum_exp is -infinity.
//
// Milakov and Gimelshein, arXiv:1805.02867; Dao et al., "FlashAttention", NeurIPS 2022, algorithm 1.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace mine {

using Numbers = std::vector<double>;

struct Block {
  std::vector<Numbers> keys, values;  // [n][K], [n][V]
  std::vector<bool> word;             // [n]: false for padding
};

class Blocks {
 public:
  explicit Blocks(std::vector<Block> all) : all_(std::move(all)) {}
  const Block* next() { return at_ < all_.size() ? &all_[at_++] : nullptr; }

 private:
  std::vector<Block> all_;
  std::size_t at_ = 0;
};

struct Reading {
  Numbers context;  // [V]
  double log_sum_exp = 0;
};

// value_width is V.
Reading tiled_attention(const Numbers& query, double scale, std::size_t value_width, Blocks& blocks);

}  // namespace mine
