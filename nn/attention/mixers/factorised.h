// Multi-matrix factorization attention, MFA: many heads as wide as the one key and the one value that they all share,
// and queries that are made in two steps.
//
//   q_nt = rms(x_t S_q) Q_n [C]      k_s = x_s S_k [C]      v_s = x_s S_v [C]        S [D, C], Q_n [C, C], eps 1e-5
//   y_t = sum_n (softmax(q_n k^T / sqrt(C)) v) O_n                                   O_n [C, D]
//   with reuse (MFA-KR):  v_s = k_s + al * (k_s N)                                   al [C], 0 at first, N [C, C]
//
// Each head is a bilinear score of rank C, which is more than D / n, so that few keys serve many heads. Equal Q_n make
// equal heads. With reuse a value is made of its key, and the cache holds keys alone. In an encoder (not in the paper)
// all words are read. B batch, T words, S words so far, D width, n heads, C the setting `width`.
#pragma once

#include <optional>

#include "nn/attention/mixers/rows_mixer.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

struct FactorisedMixer final : RowsMixer {
  struct Settings {
    int64_t width = 0;
    int64_t reuse = 0;
    void fields(OptionFields& f) {
      f("width", width, "C, the width of each head, of the key and of the value; 0: 2 D / n", {0, 65536});
      f("reuse", reuse, "1: values are made of the keys, which alone are kept; 0: they are projected", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"L3", "factorised", "MFA", "multi-matrix factorization attention"},
      .formula = "q_n = rms(x S_q) Q_n;  one k = x S_k and v = x S_v;  y = sum_n (softmax(q_n k^T / sqrt(C)) v) O_n",
      .paper = {"Hu et al., ACL Findings 2025", 2025, 4},
      .idea =
          "All heads read one key and one value per word, as in multi-query attention, but these are wider. The "
          "queries of the heads come from one narrow vector through a matrix for each head, so more and wider heads "
          "cost few parameters. The cache is that of one head.",
      .wrong =
          "The width of a head is not D / n but a number of its own, and the scores are divided by its root. The "
          "narrow vector of the queries is normed before the matrices of the heads.",
      .cost =
          "3 D C + n C^2 + n C D products a word and attention of n heads of width C; a cache of 2 C numbers a word, "
          "C with reuse",
      .own = {"equal_matrices_are_one_head", "heads_are_bilinear_scores", "reused_keys_begin_as_values"},
  };

  FactorisedMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("query_down", query_down), v.child("query_norm", query_norm), v.child("query_up", query_up);
    v.child("key", key);
    if (value) v.child("value", *value);
    if (reused) v.child("reused", *reused);
    v.parameter("share", share);
    v.child("output", output);
  }
  Settings settings;
  int64_t width;  // C
  Linear query_down;
  RMSNorm query_norm;
  Linear query_up, key;                 // Q [n C, C], head by head
  std::optional<Linear> value, reused;  // S_v, or N
  Variable share;                       // al [C]; undefined without reuse
  Linear output;                        // O [D, n C]

 protected:
  int64_t row_width() const override { return reused ? width : 2 * width; }
  Variable rows_of(const Variable& x, const Places& places) const override;  // [k, v], or k
  Variable queries_of(const Variable& x, const Places& places) const override;
  HeadMemory keys_of(const Variable& rows) const override;
  Variable output_of(const Variable& contexts) const override;
};

}  // namespace heed::nn
