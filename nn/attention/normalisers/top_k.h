// Explicit sparse attention ("Explicit sparse transformer"): a softmax over the k largest scores. If scores tie for the
// last place, the earlier key is taken. (Keeping all scores that reach the k-th largest, as a comparison with a
// threshold does, lets every tied key in: equal scores would all be kept, however small k is.) With k >= S it is a
// softmax.
#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"
#include "tensor/compare.h"
#include "tensor/sort.h"

namespace heed::nn {

struct TopKNormaliser final : Normaliser {
  struct Settings {
    int64_t k = 8;
    void fields(OptionFields& f) { f("k", k, "number of keys that a query reads", {1, 1e9}); }
  };
  static constexpr About about{
      .names = {"B6", "top_k", "explicit sparse attention"},
      .formula = "w = softmax over the k largest scores, 0 elsewhere",
      .paper = {"Zhao et al., 2019 (arXiv 1912.11637)", 2019, 2},
      .idea =
          "Only the k largest scores enter the softmax, and all others get zero. Noise from many irrelevant keys "
          "disappears. Keys outside of the k learn nothing in that step.",
      .wrong =
          "If the score of rank k and the next one are equal, a rule must choose between them. Otherwise a row has "
          "more than k weights.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "a partial sort of each row, S log k, then a softmax",
      .own = {"exactly_k_weights", "all_keys_are_a_softmax"},
      .tried = "top_k:k=2",
  };

  using Options = NormaliserOptions;
  TopKNormaliser(const Options& options, Generator&) : k(options.settings.as<Settings>().k) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    int64_t S = scores.size(-1);
    if (k >= S) return softmax(scores, -1);
    Tensor chosen = argtopk(scores.value(), k);  // [.., T, k], the earlier of equal scores first
    Tensor count = scatter_add(Variable(Tensor::ones(chosen.shape(), scores.dtype())), chosen, S).value();
    return softmax(masked_fill(scores, equal(count, 0), -INFINITY), -1);
  }
  int64_t k;
};

}  // namespace heed::nn
