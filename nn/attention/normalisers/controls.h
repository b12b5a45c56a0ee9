// Controls: normalisers whose weights do not find the keys that match a query. The rest of the model is unchanged, so a
// variant of attention that is no better than these gains nothing from its weights. The permutation of `shuffled` is
// drawn anew for each row; in evaluation the last key's weight moves to the first. What these controls do not show:
// weights that depend on positions only can be much better than both. The score `location` is the control for those.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct EvenNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"Z1", "even", "control: a plain mean"},
      .family = "controls",
      .formula = "w_s = 1 / n for each of n allowed keys",
      .paper = {"a control of the league", 2026, 2},
      .idea =
          "Every allowed key gets the same weight, whatever its score. So each query receives the mean of the values "
          "that it may attend to. The league trains it beside all variants, as a control.",
      .wrong = "If a variant is no better than this control, its weights are of no use for the task.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S",
      .own = {"even_over_the_allowed"},
      .exempt = {{"weights_depend_on_keys", "it is the control that does not read the scores"}},
  };

  using Options = NormaliserOptions;
  EvenNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override;
};

struct ShuffledNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"Z2", "shuffled", "control: shuffled keys"},
      .family = "controls",
      .formula = "w_pi(s) = softmax(e)_s, pi a random permutation of the allowed keys; in evaluation the next one",
      .paper = {"a control of the league", 2026, 2},
      .idea =
          "The weights are those of a softmax, but each is moved: to a random allowed key in training, and to the next "
          "one in evaluation. So the weights of a row are as concentrated as those of attention, but at the wrong "
          "keys. The league trains it beside all variants, as a control.",
      .wrong =
          "Pictures of its weights look like attention, but the key with the largest weight is rarely the one with the "
          "largest score.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S exponentials and draws",
      .own = {"a_permutation_of_softmax"},
      .exempt = {{"gradient", "each call draws another permutation"},
                 {"keys_may_be_permuted", "the permutation is drawn by position"},
                 {"queries_may_be_permuted", "the permutation is drawn by position"},
                 {"step_by_step_is_parallel",
                  "decoding step by step and the parallel pass draw different permutations"}},
  };

  using Options = NormaliserOptions;
  ShuffledNormaliser(const Options&, Generator& seeds) : rng(seeds.next_u32()) {}
  Variable weights(const Variable& scores, StageContext&) const override;
  void visit(Visitor& v) override { v.generator("generator", rng); }
  mutable Generator rng;  // the only state that a call changes
};

}  // namespace heed::nn
