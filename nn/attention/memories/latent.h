// The latent memory (multi-head latent attention of DeepSeek-V2, 2024, eqs. 9 to 11): it keeps one narrow row for
// each word, and computes the keys and values of all heads from these rows when they are read.
//
//   c_s = h_s W_d                  [r], kept: r numbers a word
//   k_s = c_s W_uk                 [G K], widened when read
//   v_s = c_s W_uv                 [G V]
//
// Keeping the keys and values of G heads would take G (K + V) numbers per word. The price of keeping r is S r G (K + V)
// multiply-adds at each read. The caller projects c before it appends it. The paper also keeps rotated keys beside c;
// this memory does not have that part. B batch, n new words, S words that are kept, G heads of keys, K and V widths of
// a head.
#pragma once

#include "nn/attention/memories/head_cache.h"

namespace heed::nn {

class LatentMemory final : public AttentionMemory {
 public:
  // W_uk [r, G K] and W_uv [r, G V]
  LatentMemory(const Variable& up_keys, const Variable& up_values, int64_t heads);
  void append(const HeadMemory& words) override;  // c [B, 1, n, r] as the keys, no values
  HeadMemory view() const override;               // [B, G, S, K] and [B, G, S, V]
  void keep(const Tensor& rows) override { narrow_.keep(rows); }
  int64_t words() const override { return narrow_.words(); }
  int64_t bytes() const override { return narrow_.bytes(); }

 private:
  Variable widened(const Variable& c, const Variable& up) const;
  Variable up_keys_, up_values_;
  int64_t heads_;
  HeadCache narrow_;  // c as keys of one head, and values of width 0
};

}  // namespace heed::nn
