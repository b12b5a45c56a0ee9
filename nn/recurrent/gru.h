// GRU: a recurrent unit with two gates (Cho et al., EMNLP 2014, equations 5 to 8).
//
// clang-format off
//   r_t = sigmoid(W_ir x_t + b_ir + W_hr h_{t-1} + b_hr)        reset: how much the candidate reads
//   z_t = sigmoid(W_iz x_t + b_iz + W_hz h_{t-1} + b_hz)        update: how much is kept
//   n_t = tanh(W_in x_t + b_in + r_t * (W_hn h_{t-1} + b_hn))   the candidate
//   h_t = (1 - z_t) * n_t + z_t * h_{t-1}
// clang-format on
//
// As in PyTorch, r_t multiplies the product W_hn h_{t-1} + b_hn. In the paper it multiplies h_{t-1} before the product.
// The rows of weight_ih [3N, I] and weight_hh [3N, N] hold the gates in the order r, z, n. Legend: B batch, I input
// width, N hidden width.
#pragma once

#include "nn/recurrent/recurrent.h"

namespace heed::nn {

// The gates of one step: in = x W_ih^T + b_ih [B, 3N] and past = h W_hh^T + b_hh [B, 3N] give the new state [B, N]. If
// `keep` [B] (bool) is given, a row where it is false keeps its old state: its sentence has already ended.
Variable gru_gates(const Variable& in, const Variable& past, const Variable& h, const Tensor& keep = {});
// The same, composed of public operations. Read it first; the tests compare gru_gates with it.
Variable gru_gates_composed(const Variable& in, const Variable& past, const Variable& h, const Tensor& keep = {});

struct GRUOptions {
  int64_t input, hidden;
  int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // between layers
  bool bias = true;
};

// One step.
struct GRUCell : RecurrentCell {
  using Options = GRUOptions;
  using State = Variable;  // h [B, N]
  static constexpr const char* kName = "GRU";
  GRUCell(const Options& options, Generator& rng);
  // in [B, 3N], h [B, N] -> the new state [B, N]
  Variable apply_state(const Variable& in, const Variable& h, const Tensor& keep = {}) const;
  Variable operator()(const Variable& x, const Variable& h) const { return apply_state(apply_input(x), h); }
  SequenceStates apply_sequence(const SequenceInputs& inputs) const { return gru_sequence(inputs); }
  Options options;
};

using GRU = Recurrent<GRUCell>;  // a whole sequence
extern template struct Recurrent<GRUCell>;

}  // namespace heed::nn
