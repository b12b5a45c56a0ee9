// Linear attention whose weights are polynomials of the score: Based and ReBased. e = q_t . k_s / sqrt(F), q and k of
// F features, which need not be as many as a head has.
//
//   based      w = 1 + e + e^2 / 2, the exponential's Taylor polynomial        phi(x) = [1, x / F^(1/4), x (x) x /
//   sqrt(2 F)] rebased    w = e^2; q, k = layer norm over the F features, with a gain and a bias of each      phi(x) =
//   x (x) x / sqrt(F)
//
//   o_t = sum_(s <= t) w_ts v_s / (sum_(s <= t) w_ts + 1e-6),   w_ts = phi(q_t) . phi(k_s),   y = o W_o
//
// x (x) x are all products of two entries. So the sums over s are one matrix of 1 + F + F^2 (or F^2) rows for each
// head, the state, whose last column is the sum of the weights (decayed_sums.h, without a decay). 1e-6 is that of fla's
// plain formulas; ReBased's program has 1e-5, Based's 1e-12. ReBased's e^2 is even: q and -q read the same, and a word
// whose keys are all orthogonal to it reads 0. The feature maps of linear attention that need no narrow projection are
// evaluators (nn/attention/evaluators/kernel.h). K = D / H width of a value.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

inline constexpr About kAboutBased{
    .names = {"J22", "based", "Taylor linear attention"},
    .formula = "o_t = sum_(s <= t) w_ts v_s / (sum_s w_ts + 1e-6),  w = 1 + e + e^2 / 2,  e = q_t . k_s / sqrt(F)",
    .paper = {"Arora et al., ICML 2024", 2024, 4},
    .idea =
        "Near 0 the exponential is almost a polynomial of degree 2, and a polynomial of a product is a product of "
        "features. So softmax attention with small scores becomes linear attention with a state of constant size. "
        "Queries and keys are projected to a few features, since the state grows with their square.",
    .wrong =
        "The root is that of the number of features F, and not of the width of a head. No weight is below 1/2, so the "
        "polynomial cannot ignore a word as a softmax can.",
    .cost =
        "2 T D^2 + 2 T D H F + 2 T F^2 (D + H C) products; 2 D^2 + 2 D H F parameters; decoding keeps H (1 + F + F^2) "
        "(K + 1) numbers",
    .own = {"three_forms_agree", "features_are_the_polynomial", "based_is_softmax_near_0", kLinearCost},
    .more = "its paper alternates layers of it with layers of sliding-window attention: --mixers based,window:64",
};

inline constexpr About kAboutRebased{
    .names = {"J23", "rebased", "ReBased"},
    .formula =
        "o_t = sum_(s <= t) w_ts v_s / (sum_s w_ts + 1e-6),  w = (q_t . k_s / sqrt(F))^2,  q, k = g norm(x W) + c",
    .paper = {"Aksenov et al., ACL 2024", 2024, 4},
    .idea =
        "The weight is a square, which is 0 where the score is 0. Based's polynomial has its minimum at a fixed place "
        "and never gets to 0, so there no word can be ignored. Queries and keys are normalised and get a learned gain "
        "and bias, which move that place.",
    .wrong = "A square is even: a query and its negative read the same. A row of weights may be all 0.",
    .cost =
        "2 T D^2 + 2 T D H F + 2 T F^2 (D + H C) products; 2 D^2 + 2 D H F + 4 F parameters; decoding keeps H F^2 (K + "
        "1) numbers",
    .own = {"three_forms_agree", "features_are_the_polynomial", "a_negative_query_reads_the_same", kLinearCost},
};

// x [.., F] -> [.., 1 + F + F^2], and [.., F^2].
Variable taylor_features(const Variable& x);
Variable square_features(const Variable& x);

struct PolynomialMixer final : RecurrentMixer {
  struct Settings {
    int64_t features = 16;
    int64_t chunk = 64;
    void fields(OptionFields& f) {
      f("features", features, "F, width of a query and a key of each head", {1, 256});
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
    }
  };
  PolynomialMixer(const MixerOptions& options, Generator& rng);
  // phi(q), phi(k) [B, H, T, ..] and the values with a 1 beside them, [B, H, T, K + 1]
  DecayedSums words_of(const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("output", output);
    v.parameter("query_gain", query_gain), v.parameter("query_bias", query_bias);
    v.parameter("key_gain", key_gain), v.parameter("key_bias", key_bias);
  }
  Settings settings;
  Linear query, key;                                    // [H F, D]
  Linear value, output;                                 // [D, D]
  Variable query_gain, query_bias, key_gain, key_bias;  // [F]; of rebased only

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
