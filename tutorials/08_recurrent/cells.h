// One step of each cell from its equations. nn/recurrent computes the same in fused kernels. B examples, I inputs, N
// hidden units.
//
//   RNN    h' = tanh(W_i x + b_i + W_h h + b_h)                               (Elman 1990)
//   GRU    r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)     z likewise          (Cho et al. 2014)
//          n = tanh(W_in x + b_in + r (W_hn h + b_hn))
//          h' = (1 - z) n + z h
//   LSTM   i, f, o = sigmoid(..)     g = tanh(..)         each as in the RNN  (Hochreiter, Schmidhuber 1997;
//          c' = f c + i g                                                      Gers et al. 2000)
//          h' = o tanh(c')
//
// W_i and W_h are the W_ih and W_hh of the chapter. The matrices of all G gates are stacked in the rows of weight_ih
// [G N, I] and weight_hh [G N, N].
#pragma once

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"

namespace recurrent {

using heed::Variable;

struct Halves {
  Variable from_input, from_state;  // [B, G N]: W_i x + b_i, W_h h + b_h
};
inline Halves halves(const heed::nn::RecurrentCell& w, const Variable& x, const Variable& h) {
  return {linear(x, w.weight_ih, w.bias_ih), linear(h, w.weight_hh, w.bias_hh)};
}

inline Variable step(const heed::nn::RNNCell& w, const Variable& x, const Variable& h) {  // x [B, I], h [B, N]
  auto [from_input, from_state] = halves(w, x, h);
  return tanh(from_input + from_state);
}

inline Variable step(const heed::nn::GRUCell& w, const Variable& x, const Variable& h) {
  int64_t N = h.size(1);
  auto [from_input, from_state] = halves(w, x, h);
  auto a = split(from_input, {N, N, N}, 1), b = split(from_state, {N, N, N}, 1);  // r, z, n: [B, N] each
  Variable r = sigmoid(a[0] + b[0]);
  Variable z = sigmoid(a[1] + b[1]);
  Variable n = tanh(a[2] + r * b[2]);
  return (1 - z) * n + z * h;  // equation 7
}

// The GRU of the paper: r multiplies h before the product. In PyTorch and heed, r multiplies the product.
inline Variable step_reset_first(const heed::nn::GRUCell& w, const Variable& x, const Variable& h) {
  int64_t N = h.size(1);
  auto [from_input, from_state] = halves(w, x, h);
  auto a = split(from_input, {N, N, N}, 1), b = split(from_state, {N, N, N}, 1);
  Variable r = sigmoid(a[0] + b[0]), z = sigmoid(a[1] + b[1]);
  Variable n = tanh(a[2] + linear(r * h, slice(w.weight_hh, 0, 2 * N, 3 * N), slice(w.bias_hh, 0, 2 * N, 3 * N)));
  return (1 - z) * n + z * h;
}

inline heed::nn::LSTMState step(const heed::nn::LSTMCell& w, const Variable& x, const heed::nn::LSTMState& past) {
  int64_t N = past.h.size(1);
  auto [from_input, from_state] = halves(w, x, past.h);
  auto gates = split(from_input + from_state, {N, N, N, N}, 1);  // i, f, g, o: [B, N] each
  Variable i = sigmoid(gates[0]), f = sigmoid(gates[1]), g = tanh(gates[2]), o = sigmoid(gates[3]);
  Variable c = f * past.c + i * g;
  return {o * tanh(c), c};
}

// A whole sequence x [B, T, I], step by step from a state of zeros: the T states, in order. Each step is a scope with
// its own name, so that its operations can be found in the graph.
template <class Cell>
std::vector<typename Cell::State> steps(const Cell& cell, const Variable& x) {
  typename Cell::State state;
  for (Variable* part : heed::nn::parts(state))
    *part = heed::Tensor::zeros({x.size(0), cell.options.hidden}, x.dtype());
  std::vector<typename Cell::State> states;
  for (int64_t t = 0; t < x.size(1); ++t) {
    heed::NameScope scope(fmt::format("step {}", t + 1));
    state = step(cell, select(x, 1, t), state);
    states.push_back(state);
  }
  return states;
}

}  // namespace recurrent
