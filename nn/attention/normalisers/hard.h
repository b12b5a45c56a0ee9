// Hard attention weights: one key has the weight 1, all others have 0. A choice has no derivative, so the backward pass
// uses the gradient of a softmax at temperature tau, which is biased (straight-through). u is uniform in (0, 1). In
// evaluation mode nothing is drawn, and gumbel is the same as argmax.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct ArgmaxNormaliser final : Normaliser {
  struct Settings {
    double temperature = 1;
    void fields(OptionFields& f) {
      f("temperature", temperature, "tau, of the softmax whose gradient is used", {1e-6, 1e9});
    }
  };
  static constexpr About about{
      .names = {"B9", "argmax", "deterministic hard attention"},
      .formula = "w = one_hot(argmax e); backward: softmax(e / tau)",
      .paper = {"Bengio, Leonard and Courville, 2013 (straight-through)", 2013, 1},
      .idea =
          "The key with the largest score gets the whole weight. Nothing is random, so the result is the same every "
          "time. The backward pass uses the derivative of a softmax instead.",
      .wrong =
          "Its derivative is zero wherever it exists, so training needs another one. The straight-through gradient is "
          "that of a softmax, and it is biased.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S comparisons",
      .own = {"rows_are_one_hot", "gradient_is_the_surrogate", "is_a_cold_softmax"},
      .exempt = {{"gradient", "a choice has no derivative; gradient_is_the_surrogate checks its surrogate"}},
  };

  using Options = NormaliserOptions;
  ArgmaxNormaliser(const Options& options, Generator& rng);
  Variable weights(const Variable& scores, StageContext&) const override;
  bool chooses_one() const override { return true; }
  double temperature;  // tau
};

struct GumbelNormaliser final : Normaliser {
  struct Settings {
    double temperature = 1;
    void fields(OptionFields& f) {
      f("temperature", temperature, "tau, of the softmax whose gradient is used", {1e-6, 1e9});
    }
  };
  static constexpr About about{
      .names = {"B8", "gumbel", "Gumbel-softmax, straight-through", "concrete"},
      .formula = "w = one_hot(argmax(e + g)), g = -log(-log u); backward: softmax((e + g) / tau)",
      .paper = {"Jang, Gu and Poole; Maddison, Mnih and Teh; both ICLR 2017", 2017, 1},
      .idea =
          "Random Gumbel noise is added to the scores, and the key with the largest sum wins. A key then wins with "
          "exactly the probability that the softmax gives it. Since a choice has no derivative, training uses the "
          "derivative of a softmax of the noisy scores.",
      .wrong =
          "The forward pass must be one-hot and the backward pass soft: hard + soft - stop_gradient(soft). Without "
          "stop_gradient the two soft terms cancel, and no gradient is left.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S draws and exponentials",
      .own = {"rows_are_one_hot", "gradient_is_the_surrogate", "hot_surrogate_is_uniform"},
      .exempt = {{"gradient", "a choice has no derivative; gradient_is_the_surrogate checks its surrogate"},
                 {"keys_may_be_permuted", "the noise is drawn by position, so a permutation changes the choices"},
                 {"queries_may_be_permuted", "the noise is drawn by position, so a permutation changes the choices"},
                 {"step_by_step_is_parallel", "decoding step by step and the parallel pass draw different noise"}},
  };

  using Options = NormaliserOptions;
  GumbelNormaliser(const Options& options, Generator& rng);
  Variable weights(const Variable& scores, StageContext&) const override;
  bool chooses_one() const override { return true; }
  void visit(Visitor& v) override { v.generator("generator", rng); }
  double temperature;     // tau
  mutable Generator rng;  // the only state that a call changes
};

// Forward: one_hot(argmax soft) along the last axis (a row of zeros stays zero). Backward: the identity, as if the
// result were soft itself.
Variable straight_through(const Variable& soft, const Tensor& scores = {});  // chosen by scores, if given: unrounded

}  // namespace heed::nn
