// The Star-Transformer: each word attends to its two neighbours in a ring, to itself, to its
// embedding and to one relay. h^0 = x, s^0 = mean of the words; n rounds of both, and the output is the last h. Att is
// multi-head attention; its parameters are the same in all rounds of a layer. The relay reads all words: it cannot be
// causal.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"
#include "nn/norm.h"

namespace heed::nn {

struct StarMixer final : Mixer {
  struct Settings {
    int64_t rounds = 2;
    void fields(OptionFields& f) { f("rounds", rounds, "n, updates of the words and of the relay", {1, 16}); }
  };
  static constexpr About about{
      .names = {"G24b", "star", "Star-Transformer"},
      .formula = "h_t = LN(relu(Att(h_t, [h_(t-1); h_t; h_(t+1); x_t; s]))),  s = LN(relu(Att(s, [s; H])))",
      .paper = {"Guo et al., NAACL 2019", 2019, 4},
      .idea =
          "Each word attends to its neighbours and to one relay vector, which attends to all words. So two distant "
          "words are two steps apart, by the relay. The number of pairs is a few for each word, however long the "
          "sentence is.",
      .wrong =
          "The first and the last word of a sentence are neighbours. With padding, the last word is the last one that "
          "is not padding.",
      .cost = "n T (12 D + 14 D^2) products; 8 D^2 parameters, biases and norms",
      .own = {"the_star_is_its_formula", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "its relay reads all words"}},
  };

  StarMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("satellite", satellite);
    v.child("relay", relay);
    v.child("satellite_norm", satellite_norm);
    v.child("relay_norm", relay_norm);
  }
  MixerOptions options;
  Settings settings;
  FourProjections satellite, relay;
  LayerNorm satellite_norm, relay_norm;
};

}  // namespace heed::nn
