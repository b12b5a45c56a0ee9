// The latent memory (multi-head latent attention of DeepSeek-V2, 2024, eqs. 9 to 19): it keeps one narrow row for
// each word, and computes the keys and values of all heads from these rows when they are read.
//
//   c_s = h_s W_d                  [r], kept: r numbers a word
//   k_s = c_s W_uk                 [G K], widened when read
//   v_s = c_s W_uv                 [G V]
//   k^R_s                          [R], kept beside c_s: a rotated key that all heads share; R may be 0
//
// Keeping the keys and values of G heads would take G (K + V) numbers per word. The price of keeping r + R is S r G
// (K + V) multiply-adds at each view. Attention can also be computed from the rows themselves (mixers/latent.h has both
// forms). The caller projects c, rotates k^R at its place, and appends [c; k^R]. While gradients are recorded, rows are
// joined at each append; under NoGrad they are kept in room that doubles. B batch, n new words, S words that are kept,
// G heads of keys, K and V widths of a head.
#pragma once

#include "nn/attention/memories/head_cache.h"

namespace heed::nn {

class LatentMemory final : public AttentionMemory {
 public:
  // W_uk [r, G K] and W_uv [r, G V]; R
  LatentMemory(const Variable& up_keys, const Variable& up_values, int64_t heads, int64_t rotary = 0);
  explicit LatentMemory(int64_t width) : heads_(0), rotary_(width) {}  // rows that the caller widens
  void append(const HeadMemory& words) override;  // [c; k^R] [B, 1, n, r + R] as the keys, no values
  HeadMemory view() const override;               // [B, G, S, K + R] and [B, G, S, V]; or the rows, without values
  Variable rows() const;                          // as they were appended, [B, 1, S, r + R]
  void keep(const Tensor& rows) override;
  int64_t words() const override { return joined_.defined() ? joined_.size(2) : narrow_.words(); }
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }

 private:
  Variable widened(const Variable& c, const Variable& up) const;
  int64_t rank() const { return up_keys_.defined() ? up_keys_.size(0) : 0; }  // r
  Variable up_keys_, up_values_;
  int64_t heads_, rotary_;
  HeadCache narrow_;  // the rows as keys of one head, and values of width 0
  Variable joined_;   // or the rows with their gradients, [B, 1, S, r + R]
};

}  // namespace heed::nn
