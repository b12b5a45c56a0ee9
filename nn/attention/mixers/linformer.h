// Linformer ("Linformer: self-attention with linear complexity", section 4): attention to r learned mixtures of the
// words. The paper found that the matrix of weights of trained models has a low rank, so that few mixtures suffice. E
// and F are shared by the heads. They have a column for each position, so sentences may not be longer than
// `max_source`.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct LinformerMixer final : Mixer {
  struct Settings {
    int64_t rank = 16;
    int64_t max_source = 300;
    void fields(OptionFields& f) {
      f("rank", rank, "r, mixtures in place of the words", {1, 4096});
      f("max_source", max_source, "number of positions of the longest sentence", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"G13", "linformer", "low-rank attention"},
      .formula = "K~ = E K,  V~ = F V,  softmax(Q K~^T / sqrt(K)) V~;  E, F [r, S]",
      .paper = {"Wang, Li, Khabsa, Fang and Ma, 2020 (arXiv 2006.04768)", 2020, 3},
      .idea =
          "The keys and values of all words are mixed into a fixed number of sums by learned weights. Attention then "
          "chooses among these sums and not among the words. So its cost grows with the length of the sentence and not "
          "with its square.",
      .wrong =
          "The mixtures have a weight for each position, so there is a longest sentence. Every mixture reads all "
          "words, so it cannot be used in a decoder.",
      .cost = "4 T r D products beside the projections; 4 D^2 + 2 r N parameters",
      .own = {"identity_mixtures_are_attention", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "each of its keys is a mixture of all words"}},
  };

  LinformerMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("", projections);
    v.parameter("E", E);
    v.parameter("F", F);
  }
  MixerOptions options;
  Settings settings;
  FourProjections projections;
  Variable E, F;  // [r, max_source]
};

}  // namespace heed::nn
