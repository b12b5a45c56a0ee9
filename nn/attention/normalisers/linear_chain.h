// Structured attention by a linear chain ("Structured attention networks", section 3, subsequence selection): the
// choice of keys is a binary sequence z_1 .. z_S in which neighbours influence each other. The weights are the
// marginals of a conditional random field:
//
//   p(z | q) ~ exp(sum_s e_s [z_s = 1] + sum_s U[z_s, z_(s+1)])          w_s = p(z_s = 1 | q)
//
// U [2, 2] is learned; U = 0 makes the keys independent, w_s = sigmoid(e_s), and a large U[0, 0] + U[1, 1] makes whole
// segments be read or left out. Masked keys are not part of the chain: the keys before and after them are neighbours.
//
// Forward-backward (Rabiner, Proceedings of the IEEE, 1989) needs only log odds, for two states. With x_s = l_s + e_s
// and y_s = e_s + r_s:
//
//   l_(s+1) = log (e^U01 + e^(U11 + x_s)) - log (e^U00 + e^(U10 + x_s))       message from the left, l_1 = 0
//   r_(s-1) = log (e^U10 + e^(U11 + y_s)) - log (e^U00 + e^(U01 + y_s))       message from the right, r_S = 0
//   w_s = sigmoid(l_s + e_s + r_s)
//
// The Jacobian of the marginals is the Hessian of log Z, which is symmetric. So the gradient of sum_s dw_s w_s with
// respect to e and U is the derivative of the marginals, of single keys and of pairs, in the direction e + h dw: the
// same two passes with numbers that carry a derivative (forward mode).
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

// Along the last axis of e [.., S]; U [2, 2]. A key with the score -inf has the weight 0 and is not in the chain.
Variable chain_marginals(const Variable& e, const Variable& U);
// The same function composed of public operations, S steps of it. Read this one first: it is the formula.
Variable chain_marginals_composed(const Variable& e, const Variable& U);

struct LinearChainNormaliser final : Normaliser {
  struct Settings {
    double coupling = 0.3;
    void fields(OptionFields& f) {
      f("coupling", coupling, "the initial U of two equal neighbours; it is learned", {-1000, 1000});
    }
  };
  static constexpr About about{
      .names = {"B15", "linear_chain", "structured attention", "segmentation attention", "CRF marginals"},
      .formula = "w_s = p(z_s = 1),  p(z) ~ exp(sum_s e_s z_s + sum_s U[z_s, z_(s+1)])",
      .paper = {"Kim et al., ICLR 2017", 2017, 2},
      .idea =
          "Whether a key is read depends on whether its neighbours are read, as in a conditional random field. The "
          "weight of a key is the probability that it is part of the selection. It is computed by one pass forward and "
          "one backward.",
      .wrong = "The weights are probabilities of single keys and do not sum to one.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "12 B T S exponentials, S steps one after the other; 4 parameters",
      .own = {"marginals_are_sums_over_paths", "no_coupling_is_a_sigmoid", "fast_chain_is_composed"},
      .exempt = {kAnySumIsRead,
                 {"keys_may_be_permuted", "the weight of a key depends on the keys beside it"},
                 kWeightsAreAbsolute,
                 kAnySum},
  };

  using Options = NormaliserOptions;
  LinearChainNormaliser(const Options& options, Generator& rng);  // U = coupling for equal neighbours, else 0
  Variable weights(const Variable& scores, StageContext&) const override {
    return chain_marginals(scores, transitions);
  }
  bool rows_sum_to_one() const override { return false; }
  void visit(Visitor& v) override { v.parameter("transitions", transitions); }
  Variable transitions;  // U [2, 2]
};

}  // namespace heed::nn
