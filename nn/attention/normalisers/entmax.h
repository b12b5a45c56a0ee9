// alpha-entmax ("Sparse sequence-to-sequence models"): a family of normalisers from softmax (alpha = 1) to sparsemax
// (alpha = 2). Between them weights become 0 without a jump in their slope.
//
// For alpha = 1.5 the weights are squares, and tau is the root of a quadratic equation: exact, after a sort of the
// scores e / 2. For any other alpha, tau is found by bisection. The gradient, with p_s = w_s^(2 - alpha) / sum_r w_r^(2
// - alpha) over the keys of positive weight:
//
//   de_s = w_s^(2 - alpha) (dw_s - sum_r p_r dw_r)
//   dalpha = sum_s dw_s ((w_s - p_s) / (alpha - 1)^2 - (w_s ln w_s - p_s sum_r w_r ln w_r) / (alpha - 1))
//
// The second line (Correia, "Adaptively sparse transformers", proposition 1) lets each head learn its own alpha, so
// that some heads become sparse and others stay spread out. A learned alpha is 1.01 + 0.99 sigmoid(raw), which stays in
// (1.01, 2): near 1 the gradient is a quotient of two tiny numbers.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

// Along the last axis. alpha > 1 has any shape that broadcasts to z without its last axis: [] or [.., 1]. A row of -inf
// gives zeros; a row with a NaN, or with +inf, gives NaN.
Variable entmax(const Variable& z, const Variable& alpha);

struct EntmaxNormaliser final : Normaliser {
  struct Settings {
    double alpha = 1.5;
    int64_t learned = 0;
    void fields(OptionFields& f) {
      f("alpha", alpha, "1 is softmax, 2 is sparsemax; the initial one if it is learned", {1, 10});
      f("learned", learned, "1: each head learns its alpha, between 1.01 and 2", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"B3", "entmax", "entmax 1.5", "adaptively sparse attention"},
      .formula = "w_s = max((alpha - 1) e_s - tau, 0)^(1 / (alpha - 1)), tau such that they sum to 1",
      .paper = {"Peters, Niculae and Martins, ACL 2019; learned alpha: Correia et al., EMNLP 2019", 2019, 2},
      .idea =
          "Entmax is a family of normalisers with a parameter alpha: 1 gives the softmax, and 2 gives sparsemax. For "
          "every alpha above 1, keys with low scores get exactly zero. Each head can learn its own alpha, because the "
          "weights have a derivative with respect to it.",
      .wrong =
          "With alpha = 1.5 the scores must be halved first. For this alpha a sort gives the exact weights; for others "
          "a bisection is needed.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "a sort of each row for alpha 1.5, else 64 passes over it; learned: 1 parameter for each head",
      .own = {"golden_entmax", "alpha_leads_from_softmax_to_sparsemax", "bisection_is_the_sort",
              "heads_learn_their_alpha"},
      .tried = "entmax:learned=1",
  };

  using Options = NormaliserOptions;
  EntmaxNormaliser(const Options& options, Generator& rng);  // ValueError for a learned alpha outside (1.01, 2)
  Variable weights(const Variable& scores, StageContext&) const override;
  Variable alpha() const;  // [H, 1, 1], the one that is learned
  void visit(Visitor& v) override { v.parameter("raw_alpha", raw_alpha); }
  Settings settings;
  Variable raw_alpha;  // [H, 1, 1]; undefined if alpha is fixed
};

}  // namespace heed::nn
