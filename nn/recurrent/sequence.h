// One direction of one recurrent layer over a whole sequence, as ONE node of the graph.
//
// clang-format off
//   forward    once           in = x W_ih^T                              all steps in one product
//              step by step   past = h_{t-1} W_hh^T                      [B, N] -> [B, G N]
//                             state_t = gates(in_t + b_ih, past + b_hh, state_{t-1})
//                             the activated gates are saved
//   backward   step by step   a_t = gradients of the gates' pre-activations      [B, G N]
//              from the last  dh_{t-1} += a_t W_hh
//              once           dW_hh = sum_t a_t^T h_{t-1}   dW_ih = sum_t a_t^T x_t
//                             db = sum_t a_t   dx = a W_ih
//                             one product each over all steps: its inner size is T B
// clang-format on
//
// All tensors are time-major, [T, B, ..], so that a step is contiguous in memory. In rows where keep is false (after
// the end of a sentence) the state passes unchanged, and so does its gradient; the contents of x there do not matter,
// not even NaN.
//
// Cost: 2 T B G N (I + N) FLOPs forward, twice that backward. Memory: x, the gates [T, B, G N] (GRU: N more columns)
// and the states [T + 1, B, N] are saved, so it is linear in T. Gradients of gradients compute the steps again one by
// one (steps_of, composed of public operations).
//
// Legend: B batch, T time, I input width, N hidden width, G gates of a cell.
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

struct SequenceInputs {
  Variable x;  // [T, B, I], any strides
  // [G N, I], [G N, N], [G N] twice; without biases they are undefined.
  Variable weight_ih, weight_hh, bias_ih, bias_hh;
  std::vector<Variable> state;  // parts of the initial state, [B, N] each: h, and LSTM's c
  Tensor keep = {};             // [T, B] bool; undefined: true everywhere
  bool backwards = false;       // process the last time step first
};
struct SequenceStates {
  Variable outputs;            // [T, B, N]: h_t
  std::vector<Variable> last;  // parts of the last state, [B, N] each
};

SequenceStates rnn_tanh_sequence(const SequenceInputs& inputs);
SequenceStates rnn_relu_sequence(const SequenceInputs& inputs);
SequenceStates gru_sequence(const SequenceInputs& inputs);
SequenceStates lstm_sequence(const SequenceInputs& inputs);

// The time step that is processed as number k.
inline int64_t step_at(int64_t k, int64_t T, bool backwards) { return backwards ? T - 1 - k : k; }

}  // namespace heed::nn
