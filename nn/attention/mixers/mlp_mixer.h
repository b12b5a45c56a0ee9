// The token-mixing network of the MLP-Mixer ("MLP-Mixer: an all-MLP architecture for vision", eq. 1). The layer norm
// before it, the residual connection around it and the network along the entries are those of the layer of the
// transformer. W_1 [M, N] and W_2 [N, M], N = `max_source`; every output reads all words: it cannot be causal. Padding
// counts as 0.
#pragma once

#include "nn/attention/mixers/mixer.h"

namespace heed::nn {

struct MlpMixer final : Mixer {
  struct Settings {
    int64_t hidden = 64;
    int64_t max_source = 300;
    void fields(OptionFields& f) {
      f("hidden", hidden, "M, width of the network along the words", {1, 4096});
      f("max_source", max_source, "number of positions of the longest sentence", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"G22", "mlp_mixer", "token mixing"},
      .formula = "y_(*,d) = W_2 gelu(W_1 x_(*,d) + b_1) + b_2",
      .paper = {"Tolstikhin et al., NeurIPS 2021", 2021, 3},
      .idea =
          "A small feed-forward network takes the values of one entry at all positions as its input. It gives a new "
          "value for each position. So words are mixed by position alone, and the next layer mixes the entries.",
      .wrong =
          "The network runs along the words, so its matrices have the size of the longest sentence. The same network "
          "is applied to each entry of the vectors.",
      .cost = "2 T M D products; 2 N M + N + M parameters",
      .own = {"entries_do_not_mix", "it_is_a_network_along_the_words", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "each of its hidden units reads all words"}},
  };

  MlpMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("weight1", weight1);
    v.parameter("bias1", bias1);
    v.parameter("weight2", weight2);
    v.parameter("bias2", bias2);
  }
  MixerOptions options;
  Settings settings;
  Variable weight1, bias1, weight2, bias2;  // [M, N], [M], [N, M], [N]
};

}  // namespace heed::nn
