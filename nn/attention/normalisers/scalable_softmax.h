// Scalable softmax, SSMax ("Scalable-Softmax is superior for attention"): the more keys a query sees, the larger its
// scores become. With ln n in the exponent the largest weight does not fall to 0 as the text grows, as it does in a
// softmax of scores in a fixed range. n^(s e) = exp(s ln(n) e).
//
// n is the number of keys that this row may attend to: those whose scores are not -inf. Under a causal mask it differs
// from row to row. (Public code often takes n = T for all rows. Then the first word knows how long the text will be,
// and decoding step by step is another function than training.) A query that sees one key has ln 1 = 0 and reads it.
//
// The paper scales q . k alone. Here a bias of the position (alibi, t5) is part of the score, and is scaled too.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"
#include "nn/init.h"

namespace heed::nn {

struct ScalableSoftmaxNormaliser final : Normaliser {
  struct Settings {
    double initial = 0.43;
    void fields(OptionFields& f) { f("initial", initial, "the initial s of each head", {0, 1e6}); }
  };
  static constexpr About about{
      .names = {"L5", "scalable_softmax", "SSMax"},
      .formula = "w_s = n^(s_h e_s) / sum_r n^(s_h e_r),  n the number of keys that this query may attend to",
      .paper = {"Nakanishi, 2025 (arXiv 2501.19399)", 2025, 4},
      .idea =
          "The scores are multiplied by the logarithm of the number of keys, and by a learned factor of the head. "
          "Otherwise even the best of many keys gets little weight, because all the others add up. A head can stay "
          "focused in texts longer than those of training.",
      .wrong =
          "Each row has its own number of keys. With the length of the whole text in its place, the first words would "
          "know how long the text becomes.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S exponentials; 1 parameter for each head",
      .own = {"is_a_power_of_the_number_of_keys", "heads_learn_their_power"},
  };

  using Options = NormaliserOptions;
  ScalableSoftmaxNormaliser(const Options& o, Generator&)
      : scale(full_parameter({o.heads, 1, 1}, o.settings.as<Settings>().initial)) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    Tensor absent = barred(scores);
    Variable factor = scale * Variable(log(allowed_keys(scores)));  // s ln n [.., T, 1]
    Variable e = masked_fill(scores, absent, 0) * factor;           // -inf times 0 would be no number
    return softmax(masked_fill(e, absent, -INFINITY), -1);
  }
  void visit(Visitor& v) override { v.parameter("scale", scale); }
  Variable scale;  // s [H, 1, 1]
};

}  // namespace heed::nn
