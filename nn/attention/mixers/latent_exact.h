// Multi-head latent attention as the authors' program computes it (DeepSeek-V3, inference/model.py): latent.h, with the
// rows c and c' divided by their root mean square.
//
//   c_s  = rms(W_dkv x_s) w_kv  [r]     kept in this form           c'_t = rms(W_dq x_t) w_q      eps 1e-6
//   k^R_s = RoPE(W_kr x_s)      [R]     kept beside it, not normed, one for all heads; pairs are neighbours
//   e_hts = (q^C_ht . W_uk c_s + q^R_ht . k^R_s) / sqrt(K + R)
//
// The norm is nonlinear, so it is computed once, before a row is kept: both forms of latent.h read the normed row. With
// r = r' = D, R = 0 and W_dkv = W_dq = I it is multi-head attention of rms(x). The factor that YaRN puts on the scores
// of long texts is left out. Letters as in latent.h; r' the setting query_rank.
#pragma once

#include "nn/attention/mixers/latent.h"

namespace heed::nn {

struct LatentExactMixer final : LatentHeads {
  struct Settings {
    int64_t rank = 0;
    int64_t query_rank = 0;
    int64_t rope = 8;
    int64_t absorb = 1;
    void fields(OptionFields& f) {
      f("rank", rank, "r, the width of the latent row; 0: half of D", {0, 1e6});
      f("query_rank", query_rank, "r', the width of the latent query; 0: half of D; -1: queries come from x",
        {-1, 1e6});
      f("rope", rope, "R, the width of the rotary key that all heads share, even; 0: none", {0, 1e6});
      f("absorb", absorb, "1: decoding reads the narrow rows themselves; 0: it widens them", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"L12", "latent_exact", "MLA of DeepSeek-V3"},
      .formula = "c = rms(W_dkv x), c' = rms(W_dq x);  k = [W_uk c; RoPE(W_kr x)], v = W_uv c, q from c'",
      .paper = {"DeepSeek-AI (DeepSeek-V2, DeepSeek-V3), 2024", 2024, 4},
      .idea =
          "This is latent attention with the two norms that the published program has and the equations leave out. "
          "The narrow row of a word is brought to one size before it is kept, so its scale cannot drift in deep "
          "models. The rotary key beside it stays as it is.",
      .wrong =
          "A norm that is applied when a row is read is applied twice in the absorbed form, or not at all. Only c "
          "and c' are normed, not the rotary key, whose pairs are neighbours.",
      .shapes = "x [B, T, D] -> [B, T, D]; cache [B, S, r + R]",
      .cost = "that of latent with r' D more products a word; r + r' more parameters; a cache of r + R numbers a word",
      .own = {"normed_rows_are_attention_of_normed_words", "latent_forms_agree"},
  };

  LatentExactMixer(const MixerOptions& options, Generator& rng);
};

}  // namespace heed::nn
