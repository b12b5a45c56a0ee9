// The heavy-hitter oracle, H2O (Zhang et al., NeurIPS 2023): decoding keeps the keys of the last w words, and of the k
// words that have got the largest sums of weights so far.
//
//   A_gs = sum_t sum_h w_hts, over the steps t in which word s was there, and the heads h that read key-value head g
//
// A full memory of head g drops the word with the smallest A_gs. A few words get most of the weights at all steps, so
// their sums up to now say which words later steps will read. Each key-value head drops words of its own, as in the
// paper, whose heads all have their own keys. Words keep their places in the text. The authors' program adds the
// weights of all sentences of a batch, and reads the prompt as a whole; here each sentence has its own sums, and the
// words of a prompt come one by one too.
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
      .formula = "k + w words for each key head; it drops argmin_s sum_t w_ts among those before the last w",
      .paper = {"Zhang et al., NeurIPS 2023", 2023, 3},
      .idea =
          "Decoding sums the weights that each kept word has got in a head, and drops the word with the smallest sum. "
          "A few words of a text get most of the weights at every step. What a head keeps depends on the text, and not "
          "only on places.",
      .wrong =
          "Sums must be of the weights after words were dropped, which are larger than those of full attention. The "
          "last words stay whatever their sums are, because a new word has had no time to be read.",
      .shapes = "[B, G, k + w, K] and [B, G, k + w, V]; sums [B, G, k + w]",
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
