// Lightweight and dynamic convolution ("Pay less attention with lightweight and dynamic convolutions", sections 3 and
// 4): each word reads its neighbours with weights that depend on the distance, and not on keys. y = o W_o. The window
// of word t ends at it if causal, else it is centred there. The softmax makes its weights positive with the sum 1, as
// those of attention. What lies outside of the sentence, and padding, counts as 0. A layer sees w words; the paper lets
// w grow with depth.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

inline constexpr About kAboutLightweightConv{
    .names = {"G23", "lightweight_conv"},
    .formula = "o_t = sum_(j < w) softmax(kernel_h)_j u_(t - j),  u = a sigmoid(b),  [a; b] = x W",
    .paper = {"Wu et al., ICLR 2019", 2019, 4},
    .idea =
        "Each word reads its neighbours with learned weights that are the same at every position. The weights of a "
        "window are positive and sum to 1, and many features share them. A gate before it chooses what is passed on.",
    .wrong =
        "The softmax is over the window, and not over the features. One layer sees only as many words as the window "
        "has.",
    .cost = "3 T D^2 + T D w products; 3 D^2 + 3 D + H w parameters; decoding keeps D (w - 1) numbers",
    .own = {"one_tap_is_a_gated_layer", "windows_are_weighted_means", kLinearCost},
};

inline constexpr About kAboutDynamicConv{
    .names = {"G23b", "dynamic_conv"},
    .formula = "o_t = sum_(j < w) softmax(u_t W_k)_j u_(t - j),  u = a sigmoid(b),  [a; b] = x W",
    .paper = {"Wu et al., ICLR 2019", 2019, 4},
    .idea =
        "It is lightweight convolution whose weights each word chooses for itself. They come from one linear layer of "
        "the word, so no pair of words is compared. How good it is shows how much of attention depends on distances "
        "only.",
    .wrong =
        "The weights depend on the word that reads and not on the words that are read. That is the difference from "
        "attention within a window.",
    .cost = "3 T D^2 + T D (w + H w) products; 3 D^2 + 3 D + (D + 1) H w parameters; decoding keeps D (w - 1) numbers",
    .own = {"one_tap_is_a_gated_layer", "constant_kernels_are_lightweight", kLinearCost},
};

struct ConvolutionMixer final : Mixer {
  struct Settings {
    int64_t taps = 7;
    void fields(OptionFields& f) { f("taps", taps, "w, words of a window", {1, 4096}); }
  };

  ConvolutionMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  Variable gated(const Variable& x, const Tensor& words) const;  // u [B, T, D], 0 at padding
  // o from u and what lies before and after it: wide [B, T + w - 1, D].
  Variable convolved(const Variable& wide, const Variable& u) const;
  void visit(Visitor& v) override {
    v.child("input", input), v.child("output", output);
    v.parameter("kernel", kernel);
    if (kernels) v.child("kernels", *kernels);
  }
  MixerOptions options;
  int64_t taps;
  Linear input, output;
  Variable kernel;                  // [H, w], of lightweight_conv
  std::unique_ptr<Linear> kernels;  // W_k, of dynamic_conv
};

}  // namespace heed::nn
