// Mixers that pass all words through a few learned latent vectors, so that the cost is linear in their number ("Luna:
// linear unified nested attention"; ISAB of "Set Transformer"; "Perceiver", with Y as in Perceiver IO, ICLR 2022). Att
// is multi-head attention with projections of its own at each place. The Perceiver has layer norms before each part;
// here they are before its latents. A latent reads all words: none of the three can be causal.
#pragma once

#include <vector>

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/layers.h"
#include "nn/norm.h"

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
          "It was made for sets, whose elements have no order. A few learned vectors attend to all elements, and the "
          "elements to the result. Each of the two steps has its own residual connections, layer norms and a small "
          "network.",
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

struct PerceiverMixer final : Mixer {
  struct Settings {
    int64_t latents = 8;
    int64_t thoughts = 1;
    void fields(OptionFields& f) {
      f("latents", latents, "M, learned vectors that all words pass through", {1, 1024});
      f("thoughts", thoughts, "n, rounds of attention among the latents", {0, 64});
    }
  };
  static constexpr About about{
      .names = {"E13", "perceiver", "latent bottleneck"},
      .formula = "Z = L + Att(L, X, X);  n times Z + Att(Z, Z, Z);  Y = Att(X, Z, Z);  a network after each of Z",
      .paper = {"Jaegle et al., ICML 2021 and ICLR 2022", 2021, 4},
      .idea =
          "A few latent vectors read the whole input by attention. Then they attend to each other for as many rounds "
          "as are wanted. At last each word asks the latent vectors for its output.",
      .wrong =
          "Only reading and writing depend on the length of the input. The rounds among the latent vectors cost the "
          "same for any input.",
      .cost = "4 T M D + 4 T D^2 products, and n (2 M^2 D + 8 M D^2) for the latents",
      .own = {"it_reads_thinks_and_writes", "words_may_be_permuted", kLinearCost},
      .exempt = {kLatentsReadAll},
  };

  struct Step : Module {  // Z <- Z + attention(LN(Z), ..), then Z <- Z + FFN(LN(Z))
    Step(const MixerOptions& options, Generator& rng);
    Variable operator()(const Variable& z, const Variable& x, const Tensor& words) const;  // x undefined: it reads Z
    void visit(Visitor& v) {
      v.child("norm1", norm1);
      v.child("attention", attention);
      v.child("norm2", norm2);
      v.child("linear1", linear1);
      v.child("linear2", linear2);
    }
    LayerNorm norm1, norm2;
    MultiHeadAttention attention;
    Linear linear1, linear2;
  };
  PerceiverMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("latents", latents);
    for (size_t i = 0; i < steps.size(); ++i) v.child("step" + std::to_string(i), steps[i]);
    v.child("write", write);
  }
  MixerOptions options;
  Variable latents;         // L [M, D]
  std::vector<Step> steps;  // the first reads the words, the others the latents
  MultiHeadAttention write;
};

}  // namespace heed::nn
