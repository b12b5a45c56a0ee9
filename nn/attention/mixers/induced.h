// Induced set attention blocks (ISAB of "Set Transformer"): attention to a few learned vectors (latents.h).
#pragma once

#include "nn/attention/mixers/latents.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

// MAB(A, B): attention, a feed-forward network, and a residual connection and layer norm after each.
struct AttentionBlock : Module {
  AttentionBlock(const MixerOptions& options, Generator& rng);
  Variable operator()(const Variable& a, const Variable& b, const Tensor& words = {}) const;  // words: those of B
  void visit(Visitor& v) {
    v.child("attention", attention);
    v.child("norm1", norm1);
    v.child("linear", linear);
    v.child("norm2", norm2);
  }
  MultiHeadAttention attention;
  LayerNorm norm1, norm2;
  Linear linear;  // rFF: one layer with a ReLU
};

struct InducedMixer final : Mixer {
  struct Settings {
    int64_t latents = 8;
    void fields(OptionFields& f) { f("latents", latents, "M, learned vectors that all words pass through", {1, 1024}); }
  };
  static constexpr About about{
      .names = {"E12b", "induced", "ISAB", "induced set attention block", "Set Transformer"},
      .formula = "H = MAB(I, X),  Y = MAB(X, H);  MAB(A, B) = LN(M + rFF(M)),  M = LN(A + Att(A, B, B))",
      .paper = {"Lee et al., ICML 2019", 2019, 4},
      .idea =
          "A few learned vectors attend to all elements of a set. The elements attend to the result. Each of the two "
          "steps has its own residual connections, layer norms and a small network.",
      .wrong =
          "Without positions it treats a sentence as a set. Permuting the words permutes the outputs and changes "
          "nothing else.",
      .cost = "4 T M D + 5 T D^2 products and more; 10 D^2 + M D parameters, biases and norms",
      .own = {"a_block_is_its_formula", "words_may_be_permuted", kLinearCost},
      .exempt = {kLatentsReadAll},
  };

  InducedMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("latents", latents);
    v.child("pack", pack);
    v.child("unpack", unpack);
  }
  MixerOptions options;
  Variable latents;  // I [M, D]
  AttentionBlock pack, unpack;
};

}  // namespace heed::nn
