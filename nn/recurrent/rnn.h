// RNN: the plain recurrent unit (Elman, Cognitive Science 1990).
//
//   h_t = f(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)         f = tanh or relu
//
// The gradient over k steps is a product of k matrices diag(f') W_hh, so it vanishes or explodes as k grows (Bengio,
// Simard and Frasconi 1994). The gates of GRU and LSTM can prevent it. Legend: B batch, I input width, N hidden width.
#pragma once

#include "nn/recurrent/recurrent.h"

namespace heed::nn {

enum class RNNActivation { tanh, relu };

// f(in + past) for in = x W_ih^T + b_ih [B, N] and past = h W_hh^T + b_hh [B, N]. If `keep` [B] (bool) is given, a row
// where it is false keeps its old state h.
Variable rnn_step(const Variable& in, const Variable& past, const Variable& h, RNNActivation f,
                  const Tensor& keep = {});

struct RNNOptions {
  int64_t input, hidden;
  int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // between layers
  bool bias = true;
  RNNActivation activation = RNNActivation::tanh;  // f
};

// One step.
struct RNNCell : RecurrentCell {
  using Options = RNNOptions;
  using State = Variable;  // h [B, N]
  static constexpr const char* kName = "RNN";
  RNNCell(const Options& options, Generator& rng);
  // in [B, N], h [B, N] -> the new state [B, N]
  Variable apply_state(const Variable& in, const Variable& h, const Tensor& keep = {}) const;
  Variable operator()(const Variable& x, const Variable& h) const { return apply_state(apply_input(x), h); }
  SequenceStates apply_sequence(const SequenceInputs& inputs) const {
    return options.activation == RNNActivation::tanh ? rnn_tanh_sequence(inputs) : rnn_relu_sequence(inputs);
  }
  Options options;
};

using RNN = Recurrent<RNNCell>;  // a whole sequence
extern template struct Recurrent<RNNCell>;

}  // namespace heed::nn
