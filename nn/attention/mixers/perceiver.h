// The Perceiver, with Y as in Perceiver IO (ICLR 2022): attention to and among a few learned vectors (latents.h). It
// has layer norms before each part; here they are before its latents.
#pragma once

#include <vector>

#include "nn/attention/mixers/latents.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

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
