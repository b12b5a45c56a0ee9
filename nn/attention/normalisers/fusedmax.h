// Fusedmax ("A regularized framework for sparse and structured neural attention", section 3): sparse weights that are
// equal on whole segments of the source, as for the words of a phrase.
//
//   w = argmin_{w >= 0, sum w = 1} |w - e|^2 / 2 + gamma sum_s |w_(s+1) - w_s|   =   sparsemax(y)
//   y = argmin_y |y - e|^2 / 2 + gamma sum_s |y_(s+1) - y_s|
//
// The second line is the denoising of a sequence by its total variation. As gamma grows from 0, each maximal segment of
// equal values moves towards its neighbours, at a speed of 1 / n for each of the two (n keys in the segment), and two
// segments that meet stay together (Friedman et al., "Pathwise coordinate optimization", Annals of Applied Statistics,
// 2007). Following these meetings gives y exactly. All keys of a segment share one value, hence
//
//   de_s = mean of dy over the segment of s
//
// after the gradient of sparsemax. Masked keys are left out: the keys before and after them are neighbours.
#pragma once

#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/normalisers/sparsemax.h"

namespace heed::nn {

// y of each row, along the last axis; -inf stays, and a row with a NaN or +inf becomes NaN.
Variable fused(const Variable& e, double gamma);

struct FusedmaxNormaliser final : Normaliser {
  struct Settings {
    double gamma = 0.1;
    void fields(OptionFields& f) { f("gamma", gamma, "gamma, the price of a difference between neighbours", {0, 1e6}); }
  };
  static constexpr About about{
      .names = {"B4", "fusedmax", "total variation", "structured sparse attention"},
      .formula = "w = argmin |w - e|^2 / 2 + gamma sum_s |w_(s+1) - w_s| over w >= 0, sum w = 1",
      .paper = {"Niculae and Blondel, NIPS 2017", 2017, 2},
      .idea =
          "It is sparsemax with a penalty on the differences between the weights of neighbouring keys. So neighbouring "
          "keys, such as the words of a phrase, often have equal weights. With the penalty 0 it is sparsemax.",
      .wrong = "The gradient averages over each group of equal weights. A masked key ends a group.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "at most S^2 steps a row, then sparsemax",
      .own = {"no_fusion_is_sparsemax", "segments_share_one_weight", "denoising_is_optimal",
              "segment_gradient_is_its_mean"},
      .exempt = {{"keys_may_be_permuted", "the order of the keys says which are neighbours"}},
  };

  using Options = NormaliserOptions;
  FusedmaxNormaliser(const Options& options, Generator&) : gamma(options.settings.as<Settings>().gamma) {}
  Variable weights(const Variable& scores, StageContext&) const override;
  double gamma;
};

}  // namespace heed::nn
