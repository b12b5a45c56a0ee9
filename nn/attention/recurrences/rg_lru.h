// The recurrent block of Griffin and Hawk, with its real-gated linear recurrent unit ("Griffin: mixing gated linear
// recurrences with local attention for efficient language models", section 2.4).
//
//   u = conv_w(x W_x + b) + bias                       E features, no nonlinearity after the convolution
//   r, i = sigmoid(block-diagonal maps of u)           one block for each head
//   log a_t = -8 r_t softplus(L)                       h_t = a_t h_(t-1) + sqrt(1 - a_t^2) (i_t u_t)
//   y = (gelu(x W_y + b) h) W_o + b                    gelu by its tanh form
//
// The root keeps the variance: independent inputs of variance 1 give a state of variance 1, whatever a is. The first
// word of a sentence has no state before it, so its factor is 1 and not the root, and its a is 0. Here that is the
// first word that is no padding, in each sentence by itself.
//
// From the authors' code (recurrentgemma), where the text says less: 1 - a^2 is -expm1(2 log a), the gradient of the
// root is at most 1000, and exp(-softplus(L)) begins uniform by area on the ring from 0.9 to 0.999. (The paper writes
// L for -L here, and has the ring for a^8.) E = D times `inner`; every weight begins normal with the variance 1 / its
// inputs, W_o in a stack of L layers with 2 / L of that, the convolution's with 0.01 / w, and biases at 0.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

struct RgLruMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t inner = 1;
    int64_t taps = 4;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that one level of the scan joins", {1, 1048576});
      f("inner", inner, "E, inner features, in widths of the model", {1, 16});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"J18", "rg_lru", "RG-LRU", "Hawk", "Griffin's recurrent block"},
      .formula = "h_t = a_t h_(t-1) + sqrt(1 - a_t^2) i_t u_t,  log a_t = -8 r_t softplus(L),  y = (gelu(x W_y) h) W_o",
      .paper = {"De et al., 2024", 2024, 4},
      .idea =
          "Each feature is a running mean of its inputs, and two gates of the word decide how much it forgets and how "
          "much it takes in. What a word adds is scaled so that the size of the state stays the same for every decay. "
          "Google's RecurrentGemma alternates it with local attention.",
      .wrong =
          "The first word has the factor 1. With the root in its place the state begins about a third as large as it "
          "should be.",
      .cost =
          "with E = D: 3 T D E + 2 T E^2 / H + T E w products and T E log2 C for the scan; 3 D E + 2 E^2 / H + E (w + "
          "7) parameters; decoding keeps E w + 1 numbers",
      .own = {"three_forms_agree", "scans_agree", "first_word_is_taken_whole", "a_closed_gate_keeps_the_state",
              "the_state_keeps_its_variance", kLinearCost},
  };

  RgLruMixer(const MixerOptions& options, Generator& rng);
  // log a, [B, T, E], from u after the convolution.
  Variable log_decay(const Variable& u) const;
  void visit(Visitor& v) override {
    v.child("gate", gate), v.child("input", input), v.child("convolution", convolution);
    v.parameter("input_gate_weight", input_gate_weight), v.parameter("input_gate_bias", input_gate_bias);
    v.parameter("decay_gate_weight", decay_gate_weight), v.parameter("decay_gate_bias", decay_gate_bias);
    v.parameter("rate", rate), v.child("output", output);
  }
  Settings settings;
  int64_t inner;       // E
  Linear gate, input;  // W_y, W_x
  ShortConvolution convolution;
  Variable input_gate_weight, input_gate_bias;  // [H, E / H, E / H] from the first width to the second; [E]
  Variable decay_gate_weight, decay_gate_bias;
  Variable rate;  // L [E]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

// The root of x >= 0, whose gradient is at most `most`.
Variable bounded_root(const Variable& x, double most);

}  // namespace heed::nn
