// Multi-head latent attention, MLA (DeepSeek-V2, 2024, eqs. 9 to 19): a cache of one narrow row per word, from which
// the keys and values of all heads are computed, and a rotary key that all heads share.
//
//   c_s  = W_dkv x_s  [r]          k^C_s = W_uk c_s,  v_s = W_uv c_s  [H K]        k^R_s = RoPE(W_kr x_s)  [R]
//   c'_t = W_dq x_t                q^C_t = W_uq c'_t  [H K]                        q^R_t = RoPE(W_qr c'_t) [H R]
//   e_hts = (q^C_ht . k^C_hs + q^R_ht . k^R_s) / sqrt(K + R)       o_ht = sum_s softmax(e)_hts v_hs      y = W_o o
//
// A rotation between W_uq and W_uk depends on the position, so the two matrices could not be multiplied into one. The
// position therefore enters through a part of its own, the decoupled key k^R. The rest can be regrouped, and the two
// forms give the same numbers:
//
//   expanded   q^C . (W_uk c)           keys and values of all heads, S r H 2 K products; as in training
//   absorbed   (W_uk^T q^C) . c         every head reads the rows c themselves, W_uv after the sum: attention with one
//                                       key of width r + R for all heads, T H r 2 K products; for decoding
//
// The cache holds r + R numbers per word, where multi-head attention holds 2 D. With r = D, R = 0 and W_dkv = I it is
// multi-head attention without biases. The authors' program also normalises c and c' by their mean square; this does
// not. B batch, T words, S words that are kept, D = H K width of the model, H heads, r the setting `rank`, R the
// setting `rope`; c' is x where the setting query_rank is 0.
#pragma once

#include <optional>

#include "nn/attention/memories/latent.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/pipeline.h"

namespace heed::nn {

struct LatentMixer final : Mixer {
  LatentMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;  // LatentMemory
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("kv_down", kv_down);
    v.parameter("up_keys", up_keys);
    v.parameter("up_values", up_values);
    if (q_down) v.child("q_down", *q_down);
    v.child("q_up", q_up);
    v.child("out_proj", out_proj);
  }
  MixerOptions options;
  int64_t rank, rope;           // r, R
  Linear kv_down;               // [c; W_kr x], r + R rows
  Variable up_keys, up_values;  // [r, H K]
  std::optional<Linear> q_down;
  Linear q_up;  // head by head [q^C; W_qr c'], H (K + R) rows
  Linear out_proj;

 private:
  Variable rows_of(const Variable& x, int64_t first) const;                  // [c; k^R], [B, T, r + R]
  Variable queries_of(const Variable& x, int64_t first, bool absorb) const;  // [B, T, H, K + R] or [B, T, H, r + R]
  Mixed read(const Variable& queries, const HeadMemory& memory, const MixerInput& in, int64_t first,
             bool absorbed) const;
  Pipeline attention_;
};

CatalogueEntry latent_mixer_entry();

}  // namespace heed::nn
