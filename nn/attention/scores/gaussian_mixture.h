// The window of Gaussians ("Generating sequences with recurrent neural networks", eq. 46 to 51), the first soft
// attention: it reads around places of the source that only move forward.
//
//   (log w_t, log b_t, log step_t) = W q_t + b             M components
//
// Graves reads with a itself, whose rows may have any sum: --normaliser exponential. Under a softmax the rows are
// normalised, as later models of speech do (Battenberg et al., ICASSP 2020). kappa depends on the queries alone, but
// the state of the sequence keeps it, so that a decoder that goes step by step has it too. The logarithms of b and of
// the step are limited to [-20, 20], beyond which exp would only overflow.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct GaussianMixtureScore final : Score {
  struct Settings {
    int64_t components = 10;
    void fields(OptionFields& f) { f("components", components, "M, Gaussians of the window", {1, 1024}); }
  };
  static constexpr About about{
      .names = {"A10", "gaussian_mixture", "Graves's window", "GMM attention"},
      .formula = "e_ts = log sum_m w_tm exp(-b_tm (kappa_tm - s)^2),  kappa_t = kappa_(t-1) + step_t",
      .paper = {"Graves, 2013 (arXiv 1308.0850)", 2013, 2},
      .idea =
          "The weights are a sum of a few Gaussians over the positions of the source. At each step the network "
          "predicts how far their centres move, how wide they are and how much each counts. The centres can only move "
          "forward, which suits handwriting: the pen goes through the text from left to right.",
      .wrong =
          "In the paper the weights are not divided by their sum. Each centre is that of the step before plus a "
          "positive number.",
      .shapes = "q [B, 1, Q], W [3 M, Q] -> e [B, 1, S]",
      .cost = "B S M exponentials a query, one after the other; 3 M (Q + 1) parameters",
      .own = {"a_window_is_its_formula", "the_window_only_moves_forward", "kappa_is_carried"},
      .exempt = {kWeighsPlaces,
                 kWeighsPlacesBefore,
                 {"queries_may_be_permuted", "the window moves on from query to query"},
                 {"weights_depend_on_keys", "it reads the place of a key and not the key"}},
      .tried = "gaussian_mixture:components=2",
      .more = "--normaliser exponential reads with the window itself, as the paper does; softmax normalises it",
  };

  using Options = ScoreOptions;
  GaussianMixtureScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  bool sequential() const override { return true; }  // it needs the state, from the first query on
  void visit(Visitor& v) override { v.child("window", window); }
  Linear window;  // W [3 M, Q], b
};

}  // namespace heed::nn
