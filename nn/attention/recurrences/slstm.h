// The sLSTM of xLSTM ("xLSTM: extended long short-term memory", section 2.2): an LSTM with an exponential input gate
// and a normaliser, whose heads do not mix.
//
//   i, f   from silu(conv(x)); z, o from x: each a block-diagonal W, + h_(t-1) R + b     R block-diagonal, first 0
//   c_t  = sigmoid(f) c_(t-1) + e^i tanh(z),   n_t = sigmoid(f) n_(t-1) + e^i            of each feature by itself
//   h_t  = sigmoid(o) c_t / n_t,   y = norm_h(h) with a weight [D]
//
// c and n are kept divided by e^m, m_t = max(log sigmoid(f) + m_(t-1), i); m starts at -inf, so the first word has m =
// i. The authors' plain program tests for a first word with the whole batch; here each sentence starts by itself, and
// padding does no step. There is no output projection: in their block a feed-forward network follows. The bias of f
// falls over the features of a head, from 5 to -7, and faster in later layers. K = D / H.
#pragma once

#include "nn/attention/recurrences/headwise_linear.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"

namespace heed::nn {

struct SlstmState {
  Variable c, n, m, h;  // [B, D] each; c and n divided by e^m
};
SlstmState slstm_start(int64_t batch, int64_t features, DType dtype);
// One word from what its gates are before their functions: i, f, z, o [B, D].
SlstmState slstm_step(const Variable& i, const Variable& f, const Variable& z, const Variable& o,
                      const SlstmState& before);

struct SlstmMixer final : RecurrentMixer {
  struct Settings {
    int64_t taps = 4;
    void fields(OptionFields& f) { f("taps", taps, "w, words that the short convolution reads", {1, 64}); }
  };
  static constexpr About about{
      .names = {"J17", "slstm", "scalar LSTM"},
      .formula = "c_t = sigmoid(f) c_(t-1) + e^i tanh(z),  n_t = sigmoid(f) n_(t-1) + e^i,  h_t = sigmoid(o) c_t / n_t",
      .paper = {"Beck et al., NeurIPS 2024", 2024, 4},
      .idea =
          "The input gate of the LSTM becomes an exponential, so that a late word can replace what earlier ones wrote. "
          "Dividing by the sum of the gates keeps the output bounded, whatever they are. The hidden state enters the "
          "gates, within each head, so the network can count and track states as an LSTM does; for the same reason the "
          "words have to be computed one after another.",
      .wrong =
          "There is no parallel form, unless R is 0. Whether a word is the first must be decided for each sentence: a "
          "test of the whole batch is wrong as soon as one sentence has begun.",
      .cost =
          "T D (2 w + 8 K) products, T steps one after another; 8 D K + D (w + 6) parameters; decoding keeps 4 D + D "
          "(w - 1) numbers",
      .own = {"slstm_is_its_plain_formula", "without_feedback_it_is_a_weighted_mean", "slstm_gates_begin_spread",
              kLinearCost},
  };

  SlstmMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("convolution", convolution);
    v.child("input_gate", input_gate), v.child("forget_gate", forget_gate);
    v.child("cell_input", cell_input), v.child("output_gate", output_gate);
    v.parameter("recurrent", recurrent), v.parameter("bias", bias), v.parameter("norm", norm);
  }
  Settings settings;
  ShortConvolution convolution;
  HeadwiseLinear input_gate, forget_gate, cell_input, output_gate;
  Variable recurrent;  // R [4, H, K, K], of i, f, z, o: a head's h R
  Variable bias;       // [4, D]
  Variable norm;       // [D]

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
