// The heavy-hitter oracle, H2O (Zhang et al., NeurIPS 2023): decoding keeps the keys of the last w words, and of the k
// words that have got the largest sums of weights so far.
//
//   A_s = sum_t w_ts, over the steps t in which word s was there;  a full memory drops the word with the smallest A_s
//
// A few words get most of the weights at all steps, so their sums up to now say which words later steps will read.
// Words keep their places in the text. In the paper each head drops words of its own; here the sums are over all heads,
// and the heads of a layer keep the same words. The authors' program reads the prompt as a whole; here its words come
// one by one too.
#pragma once

#include "nn/attention/evaluators/forgetful.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct HeavyHitters final : ForgetfulEvaluator {
  struct Settings {
    int64_t window = 64;
    int64_t heavy = 64;
    void fields(OptionFields& f) {
      f("window", window, "w, last words that decoding keeps", {1, 1e9});
      f("heavy", heavy, "k, other words that decoding keeps, those with the largest weights so far", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"G4c", "heavy_hitters", "H2O", "heavy-hitter oracle"},
      .formula = "a memory of k + w words; it drops argmin_s sum_t w_ts among those before the last w",
      .paper = {"Zhang et al., NeurIPS 2023", 2023, 3},
      .idea =
          "A few words of a text get most of the weights at every step. Decoding sums the weights that each kept word "
          "has got, and drops the one with the smallest sum. What is kept depends on the text, and not only on places.",
      .wrong =
          "Sums must be of the weights after words were dropped, which are larger than those of full attention. The "
          "last words stay whatever their sums are, because a new word has had no time to be read.",
      .shapes = "[B, G, k + w, K] and [B, G, k + w, V]; sums [B, k + w]",
      .cost = "2 (k + w) D products per step; G (k + w) (K + V) numbers per sentence",
      .own = {"heavy_words_are_a_mask", "room_for_all_forgets_nothing"},
      .cases = "MultiHeadAttention",
      .architecture = "transformer",
      .option = "evaluator",
      .text = "heavy_hitters",
  };

  HeavyHitters(const EvaluatorOptions& o, Generator&) : HeavyHitters(o.settings.as<Settings>()) {}
  explicit HeavyHitters(const Settings& s) : ForgetfulEvaluator({.heavy = s.heavy, .last = s.window}) {}
};

}  // namespace heed::nn
