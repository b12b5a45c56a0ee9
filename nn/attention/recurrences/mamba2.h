// Mamba-2 ("Transformers are SSMs: generalized models and efficient algorithms through structured state space duality",
// section 7): a state space model that is attention with a decaying mask, without a softmax.
//
//   matrix form: o = (L * C B^T)(d x),  L_ts = a_(s+1) .. a_t for s <= t         d_t = softplus(u W_d + bias)
//   [z; x; B; C] = u W of the input u, E features in x, z; h [N, P] for each head; D [H]: a path past the state
//
// So C is the query, B the key and d x the value, and all heads share queries and keys (as in multi-query attention,
// whose keys and values are shared). x, B and C pass a short convolution first. Recurrent, parallel and chunkwise:
// decayed_sums.h. A and the steps begin as the authors draw them: exp(log_rate) from 1 to 16, softplus of the
// bias from 0.001 to 0.1 (initial_steps.h). P = E / H, N width of the state.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

struct Mamba2Mixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 64;
    int64_t state = 32;
    int64_t inner = 2;
    int64_t taps = 4;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("state", state, "N, width of the state of each feature", {1, 4096});
      f("inner", inner, "E, inner features, in widths of the model", {1, 16});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"G18e", "mamba2", "Mamba-2", "SSD", "state space duality"},
      .formula =
          "h_t = a_t h_(t-1) + d_t B_t^T x_t,  o_t = C_t h_t + D x_t,  a_t = exp(-exp(A) d_t),  y = norm(o silu(z)) "
          "W_o",
      .paper = {"Dao and Gu, ICML 2024", 2024, 4},
      .idea =
          "A state space model is a linear recurrence whose decay and inputs depend on the word. With one decay for "
          "each head it equals attention without a softmax, under a mask of products of decays. So it trains with "
          "matrix products and decodes with a state of constant size.",
      .wrong =
          "The step size scales the input as well as the decay. Without that factor the state grows when the steps "
          "become small.",
      .cost =
          "with E = 2 D: 3 T D E + T E (C + 2 N) products; 3 D E + 2 D N parameters and some vectors; decoding keeps E "
          "N + (E + 2 N)(w - 1) numbers",
      .own = {"three_forms_agree", "matrix_form_is_the_recurrence", "steps_begin_small", kLinearCost},
  };

  Mamba2Mixer(const MixerOptions& options, Generator& rng);
  // From x, B and C after the convolution, [B, T, E + 2 N], and the inputs; the values are d x.
  DecayedSums words_of(const Variable& convolved, const Variable& u) const;
  // What comes before and after the sums, for log_linear.h too: z, and x, B, C after the convolution; o [B, H, T, P] ->
  // y.
  struct Inputs {
    Variable z;
    ShortConvolution::Read read;
  };
  Inputs inputs(const Variable& u, const Variable& state) const;
  Variable finished(const Variable& o, const Inputs& in) const;
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution), v.child("step", step);
    v.parameter("step_bias", step_bias), v.parameter("log_rate", log_rate), v.parameter("skip", skip);
    v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  int64_t inner, width;  // E, N
  Linear projection;     // [z; x; B; C], 2 E + 2 N rows
  ShortConvolution convolution;
  Linear step;
  Variable step_bias, log_rate, skip;  // [H]: bias, A, D
  Variable norm;                       // [E], of the norm by the mean square
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
