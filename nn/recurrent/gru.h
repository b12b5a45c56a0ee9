// GRU: a recurrent unit with two gates (Cho et al., EMNLP 2014; the variant of Chung et al. 2014 that PyTorch has).
//
//   r_t = sigmoid(W_ir x_t + b_ir + W_hr h_{t-1} + b_hr)          what of the past the candidate may see
//   z_t = sigmoid(W_iz x_t + b_iz + W_hz h_{t-1} + b_hz)          how much of the past stays
//   n_t = tanh(W_in x_t + b_in + r_t * (W_hn h_{t-1} + b_hn))     the candidate
//   h_t = (1 - z_t) * n_t + z_t * h_{t-1}
//
// Gates stand in the order r, z, n in the rows of weight_ih [3N, I] and weight_hh [3N, N]. B batch, T time, I input
// width, N hidden width, L layers, D directions.
#pragma once

#include <vector>

#include "nn/layers.h"

namespace heed::nn {

// The gates of one step: i = x W_ih^T + b_ih [B, 3N] and g = h W_hh^T + b_hh [B, 3N] give the new state [B, N].
// Where `keep` [B] (bool) is given and false, the row's state stays as it was: time steps behind the end of a sentence.
Variable gru_gates(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep = {});
// The same from public operations: the formula above, to read first; the twin that gru_gates is tested against.
Variable gru_gates_composed(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep = {});

struct GRUOptions {
  int64_t input, hidden;
  int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // between layers
  bool bias = true;
};

// One step. The halves are apart because the inputs of all steps can be projected in one product.
struct GRUCell : Module {
  using Options = GRUOptions;
  GRUCell(const Options& options, Generator& rng);
  Variable apply_input(const Variable& x) const;  // [.., I] -> [.., 3N]
  Variable apply_state(const Variable& i, const Variable& h,
                       const Tensor& keep = {}) const;  // [B, 3N], [B, N] -> [B, N]
  Variable operator()(const Variable& x, const Variable& h) const { return apply_state(apply_input(x), h); }
  void visit(Visitor& v) {
    v.parameter("weight_ih", weight_ih);
    v.parameter("weight_hh", weight_hh);
    v.parameter("bias_ih", bias_ih);
    v.parameter("bias_hh", bias_hh);
  }
  Options options;
  Variable weight_ih, weight_hh, bias_ih, bias_hh;
};

struct SequenceOutput {
  Variable annotations;  // [B, T, D N]: the last layer's state at each step, forward and backward side by side; 0
                         // behind the end
  Variable state;        // [L D, B, N]: each layer's and direction's last state
};

// A whole sequence: x [B, T, I], lengths [B] i64 (absent: all T), initial state [L D, B, N] (absent: zeros). In the
// backward direction a sentence is read from its own last word, not from the padding behind it.
struct GRU : Module {
  using Options = GRUOptions;
  GRU(const Options& options, Generator& rng);
  SequenceOutput operator()(const Variable& x, const Tensor& lengths = {}, const Variable& initial = {}) const;
  void visit(Visitor& v);
  int64_t directions() const { return options.bidirectional ? 2 : 1; }
  Options options;
  std::vector<GRUCell> cells;  // layer by layer; forward, then backward
  Dropout dropout;
};

}  // namespace heed::nn
