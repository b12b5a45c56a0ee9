// Luna ("Luna: linear unified nested attention"): attention to a few learned vectors (latents.h).
#pragma once

#include "nn/attention/mixers/latents.h"

namespace heed::nn {

struct LunaMixer final : Mixer {
  struct Settings {
    int64_t latents = 8;
    void fields(OptionFields& f) { f("latents", latents, "M, learned vectors that all words pass through", {1, 1024}); }
  };
  static constexpr About about{
      .names = {"G24", "luna", "linear unified nested attention"},
      .formula = "P' = Att(P, X, X),  Y = Att(X, P', P');  P [M, D] learned",
      .paper = {"Ma et al., NeurIPS 2021", 2021, 4},
      .idea =
          "A few learned vectors attend to all words and so pack the sentence. Then the words attend to the packed "
          "vectors. Both steps have a fixed number of vectors on one side, so the cost grows with the length and not "
          "with its square.",
      .wrong =
          "In the paper the packed vectors of one layer are the latent vectors of the next. Here every layer has "
          "latent vectors of its own.",
      .cost = "4 T M D + 4 T D^2 products and more; 8 D^2 + M D parameters and biases",
      .own = {"luna_is_two_attentions", "words_may_be_permuted", kLinearCost},
      .exempt = {kLatentsReadAll},
  };

  LunaMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("latents", latents);
    v.child("pack", pack);
    v.child("unpack", unpack);
  }
  MixerOptions options;
  Variable latents;  // P [M, D]
  MultiHeadAttention pack, unpack;
};

}  // namespace heed::nn
