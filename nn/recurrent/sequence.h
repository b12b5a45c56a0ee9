// One direction of one recurrent layer over a whole sequence, as ONE node of the graph. G gates of the cell.
//
//   forward, once          in = x W_ih^T                              all steps in one product
//   step by step           past = h_{t-1} W_hh^T                      [B, N] -> [B, G N]
//                          state_t = gates(in_t + b_ih, past + b_hh, state_{t-1}), the activated gates kept
//   backward, step by step from the last      a_t: the gradients before the gates' curves      [B, G N]
//                          dh_{t-1} += a_t W_hh
//   once                   dW_hh = sum_t a_t^T h_{t-1}, dW_ih = sum_t a_t^T x_t, db = sum_t a_t, dx = a W_ih
//                          one product each over all steps: its inner size is T B
//
// All is time-major, [T, B, ..], so that a step is one piece of memory. Where the rows are not kept (after the end of a
// sentence) the state passes unchanged, and so does its gradient; what x holds there does not matter, not even NaN.
//
// Cost: 2 T B G N (I + N) FLOPs forward, twice that backward. Saves x, the gates [T, B, G N] (GRU: one N more) and the
// states [T + 1, B, N]: linear in T. Gradients of gradients replay the steps one by one (steps_of, the composed twin).
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

struct SequenceInputs {
  Variable x;                                       // [T, B, I], any strides
  Variable weight_ih, weight_hh, bias_ih, bias_hh;  // [G N, I], [G N, N], [G N] twice; no biases: undefined
  std::vector<Variable> state;                      // the parts of the first state, [B, N] each: h, and LSTM's c
  Tensor keep = {};                                 // [T, B] bool, or undefined: all rows of all steps
  bool backwards = false;                           // from the last step to the first
};
struct SequenceStates {
  Variable outputs;            // [T, B, N]: h_t
  std::vector<Variable> last;  // the parts of the last state, [B, N] each
};

SequenceStates rnn_tanh_sequence(const SequenceInputs& inputs);
SequenceStates rnn_relu_sequence(const SequenceInputs& inputs);
SequenceStates gru_sequence(const SequenceInputs& inputs);
SequenceStates lstm_sequence(const SequenceInputs& inputs);

// The time steps in the order in which they are read.
inline int64_t step_at(int64_t k, int64_t T, bool backwards) { return backwards ? T - 1 - k : k; }

}  // namespace heed::nn
