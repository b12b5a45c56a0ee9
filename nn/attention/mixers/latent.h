// Multi-head latent attention, MLA (DeepSeek-V2, 2024, eqs. 9 to 19): a cache of one narrow row per word, from which
// the keys and values of all heads are computed, and a rotary key that all heads share.
//
//   c_s  = W_dkv x_s  [r]          k^C_s = W_uk c_s,  v_s = W_uv c_s  [H K]        k^R_s = RoPE(W_kr x_s)  [R]
//   c'_t = W_dq x_t                q^C_t = W_uq c'_t  [H K]                        q^R_t = RoPE(W_qr c'_t) [H R]
//   e_hts = (q^C_ht . k^C_hs + q^R_ht . k^R_s) / sqrt(K + R)       o_ht = sum_s softmax(e)_hts v_hs      y = W_o o
//
// The position enters through a part of its own, the decoupled key k^R. The rest can be regrouped, and the two forms
// give the same numbers:
//
//   expanded   q^C . (W_uk c)           keys and values of all heads, S r H 2 K products; as in training
//   absorbed   (W_uk^T q^C) . c         every head reads the rows c themselves, W_uv after the sum: attention with one
//                                       key of width r + R for all heads, T H r 2 K products; for decoding
//
// With r = D, R = 0 and W_dkv = I it is multi-head attention without biases. The authors' program also normalises c and
// c' by their mean square, before c is kept: latent_exact.h. B batch, T words, S words that are kept, D = H K width of
// the model, H heads, r the setting `rank`, R the setting `rope`; c' is x where the setting query_rank is 0.
#pragma once

#include <optional>

#include "nn/attention/memories/latent.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/pipeline.h"
#include "nn/norm.h"

namespace heed::nn {

// Both forms of it: G8, which follows the equations, and L12, which follows the program.
struct LatentHeads : Mixer {
  struct Sizes {
    int64_t rank, rope, query_rank;  // r, R, the width of c'
    bool absorb, normed;             // normed: c and c' by their mean square, and pairs of neighbours turned
  };
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;  // LatentMemory
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("kv_down", kv_down);
    if (kv_norm) v.child("kv_norm", *kv_norm);
    v.parameter("up_keys", up_keys);
    v.parameter("up_values", up_values);
    if (q_down) v.child("q_down", *q_down);
    if (q_norm) v.child("q_norm", *q_norm);
    v.child("q_up", q_up);
    v.child("out_proj", out_proj);
  }
  MixerOptions options;
  Sizes sizes;
  int64_t rank, rope;                      // r, R
  Linear kv_down;                          // [c; W_kr x], r + R rows
  std::optional<RMSNorm> kv_norm, q_norm;  // of c and c'
  Variable up_keys, up_values;             // [r, H K]
  std::optional<Linear> q_down;
  Linear q_up;  // head by head [q^C; W_qr c'], H (K + R) rows
  Linear out_proj;

 protected:
  LatentHeads(const MixerOptions& options, const Sizes& sizes, Generator& rng);

 private:
  Variable turned(const Variable& x, int64_t first) const;                   // x [B, T, N, R]
  Variable rows_of(const Variable& x, int64_t first) const;                  // [c; k^R], [B, T, r + R]
  Variable queries_of(const Variable& x, int64_t first, bool absorb) const;  // [B, T, H, K + R] or [B, T, H, r + R]
  Mixed read(const Variable& queries, const HeadMemory& memory, const MixerInput& in, int64_t first,
             bool absorbed) const;
  Pipeline attention_;
};

struct LatentMixer final : LatentHeads {
  struct Settings {
    int64_t rank = 0;
    int64_t rope = 8;
    int64_t query_rank = 0;
    int64_t absorb = 1;
    void fields(OptionFields& f) {
      f("rank", rank, "r, the width of the latent row; 0: half of D", {0, 1e6});
      f("rope", rope, "R, the width of the rotary key that all heads share, even; 0: none", {0, 1e6});
      f("query_rank", query_rank, "the width of the latent query; 0: queries are projected from x", {0, 1e6});
      f("absorb", absorb, "1: decoding reads the narrow rows themselves; 0: it widens them", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"G8", "latent", "MLA", "multi-head latent attention"},
      .formula = "c = W_dkv x;  k = [W_uk c; RoPE(W_kr x)], v = W_uv c;  absorbed: q . W_uk c = (W_uk^T q) . c",
      .paper = {"DeepSeek-AI (DeepSeek-V2), 2024", 2024, 3},
      .idea =
          "One narrow row is kept for each word, and the keys and values of all heads are computed from it. The matrix "
          "that makes the keys can be moved to the query, so that decoding reads the narrow rows themselves. The "
          "position enters through a small rotated key that all heads share.",
      .wrong =
          "A rotation depends on the position, so it cannot be moved between the two matrices that the absorbed form "
          "joins. The position needs a key of its own. The products are divided by the root of both widths together.",
      .shapes = "x [B, T, D] -> [B, T, D]; cache [B, S, r + R]",
      .cost =
          "T (D (r + R) + 2 r D + D (D + H R) + D^2) products and attention of width K + R; a cache of r + R numbers a "
          "word",
      .own = {"absorbed_is_expanded", "identity_is_multi_head_attention", "latent_cache_holds_narrow_rows",
              "order_enters_by_the_shared_key"},
  };

  LatentMixer(const MixerOptions& options, Generator& rng);
};

}  // namespace heed::nn
