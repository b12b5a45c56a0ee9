// The paged memory (Kwon et al., "Efficient memory management for large language model serving with PagedAttention",
// SOSP 2023, section 4): keys and values are kept in blocks of a fixed number of words, and each sequence has a table
// of its blocks, as a process has a table of its pages.
//
// clang-format off
//   table of row 0   [ 0  1  4 ]        blocks   0: w0 w1   1: w2 w3   4: w4 ..   b = 2 words
//   table of row 1   [ 0  1  5 ]                 (0 and 1 have two references each)   5: w4'..
// clang-format on
//
//   word t of a row is at entry t mod b of block table[t / b]
//   bytes = (blocks in use) b G (K + V) 4       at most b - 1 entries of the last block of a row are not yet filled
//
// No room is reserved for words that may never come, and no word is moved when a sequence grows. In a beam search,
// `keep` copies tables and not words: rows that share a past share its blocks, each with a count of its references. A
// row that appends to a block that others read copies it first (copy on write). The numbers are those of HeadCache. It
// carries no gradient. B batch, G heads of keys and values, n new words, S words, K and V widths of a head.
#pragma once

#include <vector>

#include "nn/attention/memories/memory.h"

namespace heed::nn {

class PagedMemory final : public AttentionMemory {
 public:
  explicit PagedMemory(int64_t block);  // b; ValueError below 1
  void append(const HeadMemory& words) override;
  HeadMemory view() const override;  // all words, copied side by side
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  int64_t bytes() const override;  // of whole blocks, each counted once
  Undo undo() override { return undo_of(*this); }

  int64_t block_words() const { return block_; }
  int64_t blocks() const { return table_.empty() ? 0 : static_cast<int64_t>(table_[0].size()); }  // of each row
  int64_t blocks_in_use() const { return static_cast<int64_t>(keys_.size() - free_.size()); }     // of all rows
  HeadMemory block(int64_t j) const;  // the j-th block of every row, up to its last word: [B, G, b or less, K or V]
  const std::vector<std::vector<int64_t>>& table() const { return table_; }

 private:
  void require_fit(const HeadMemory& words) const;
  int64_t fresh_block();
  void release(int64_t id);
  int64_t block_to_write(std::vector<int64_t>& row, int64_t j);
  int64_t block_, words_ = 0;
  std::vector<Tensor> keys_, values_;       // of each block: [G, b, K], [G, b, V]; undefined while it is free
  std::vector<int64_t> references_, free_;  // of each block; the numbers of those that are free
  std::vector<std::vector<int64_t>> table_;
  Tensor like_keys_, like_values_;  // [B, G, 0, K], [B, G, 0, V]: what words must fit
};

}  // namespace heed::nn
