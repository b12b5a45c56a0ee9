// LSTM: long short-term memory (Hochreiter and Schmidhuber, Neural Computation 1997; forget gate: Gers, Schmidhuber and
// Cummins 2000).
//
// clang-format off
//   i_t = sigmoid(W_ii x_t + b_ii + W_hi h_{t-1} + b_hi)   input gate: how much is written
//   f_t = sigmoid(W_if x_t + b_if + W_hf h_{t-1} + b_hf)   forget gate: how much is kept
//   g_t = tanh(W_ig x_t + b_ig + W_hg h_{t-1} + b_hg)      the candidate
//   o_t = sigmoid(W_io x_t + b_io + W_ho h_{t-1} + b_ho)   output gate: how much is output
//   c_t = f_t * c_{t-1} + i_t * g_t                        memory cell: f_t = 1 keeps the gradient
//   h_t = o_t * tanh(c_t)                                  the output, which the next step reads
// clang-format on
//
// The rows of weight_ih [4N, I] and weight_hh [4N, N] hold the gates in the order i, f, g, o. Legend: B batch, I input
// width, N hidden width.
#pragma once

#include "nn/recurrent/recurrent.h"

namespace heed::nn {

struct LSTMState {
  Variable h, c;  // [B, N] each: the output and the memory cell
};
inline std::array<Variable*, 2> parts(LSTMState& state) { return {&state.h, &state.c}; }

// The gates of one step: in = x W_ih^T + b_ih [B, 4N], past = h W_hh^T + b_hh [B, 4N] and the old state give the new
// state. If `keep` [B] (bool) is given, a row where it is false keeps its old state; only then is the old h read.
LSTMState lstm_gates(const Variable& in, const Variable& past, const LSTMState& state, const Tensor& keep = {});
// The same, composed of public operations. Read it first; the tests compare lstm_gates with it.
LSTMState lstm_gates_composed(const Variable& in, const Variable& past, const LSTMState& state,
                              const Tensor& keep = {});

struct LSTMOptions {
  int64_t input, hidden;
  int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // between layers
  bool bias = true;
  // Added to the initial bias_ih of the forget gate. With 1 or 2, a new cell remembers (Jozefowicz, Zaremba and
  // Sutskever, ICML 2015). With 0, as in PyTorch, it forgets about half at each step.
  double forget_bias = 0;
};

// One step.
struct LSTMCell : RecurrentCell {
  using Options = LSTMOptions;
  using State = LSTMState;
  static constexpr const char* kName = "LSTM";
  LSTMCell(const Options& options, Generator& rng);
  // in [B, 4N], h and c [B, N] each -> the new h and c [B, N]
  LSTMState apply_state(const Variable& in, const LSTMState& state, const Tensor& keep = {}) const;
  LSTMState operator()(const Variable& x, const LSTMState& state) const { return apply_state(apply_input(x), state); }
  SequenceStates apply_sequence(const SequenceInputs& inputs) const { return lstm_sequence(inputs); }
  Options options;
};

using LSTM = Recurrent<LSTMCell>;  // a whole sequence
extern template struct Recurrent<LSTMCell>;

}  // namespace heed::nn
