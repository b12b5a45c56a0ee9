// LSTMN: an LSTM that attends to its own past (Cheng, Dong and Lapata, "Long Short-Term Memory-Networks for Machine
// Reading", EMNLP 2016, section 3, eq. 5 to 10). Intra-attention: within one sequence.
//
//   e_ti = v^T tanh(W_h h_i + W_x x_t + W_p h~_{t-1})        for every step i < t on the tape
//   w_t  = softmax(e_t)
//   h~_t = sum_i w_ti h_i,   c~_t = sum_i w_ti c_i           one summary of both, by the same weights
//   h_t, c_t = the LSTM's gates of x_t and h~_t, over c~_t   (nn/recurrent/lstm.h)
//
// An LSTM hands only its last state on; here every state stays on a tape, and the step reads what it needs of it. A
// tape of one entry is the LSTM itself. At the first step the tape is empty and the summary 0; a decoder begins with
// its first state on it. Cost: O(T^2) over a sequence. B batch, T time, I input width, N hidden width, A attention
// width.
#pragma once

#include "nn/layers.h"
#include "nn/recurrent/lstm.h"

namespace heed::nn {

struct LSTMNOptions {
  int64_t input, hidden;
  int64_t attention = 0;  // A; 0: as hidden
  int64_t tape = 0;       // how many of the last states are kept; 0: all
};

// What stands on the tape, the oldest first, and what was read from it last.
struct Tape {
  std::vector<Variable> h, c;  // [B, N] each
  std::vector<Variable> keys;  // W_h h_i [B, A]
  Variable summary = {};       // h~ [B, N]; undefined before the first step: 0
  Variable weights = {};       // [B, entries], of the last step
};

struct LSTMN : Module {
  using Options = LSTMNOptions;
  LSTMN(const Options& options, Generator& rng);

  struct Sequence {
    Variable h, c;   // [B, T, N]: the tape whole, 0 behind a sentence's end
    LSTMState last;  // [B, N]: at each sentence's last word
  };
  Sequence operator()(const Variable& x, const Tensor& lengths = {}) const;  // x [B, T, I]

  Tape begin(const LSTMState& first = {}) const;           // an empty tape, or one with a first state
  LSTMState summary(const Variable& x, Tape& tape) const;  // h~_t, c~_t for x [B, I]; reports its weights to Observe
  LSTMState gates(const Variable& x, const LSTMState& summary) const;
  void write(const LSTMState& state, Tape& tape) const;
  LSTMState step(const Variable& x, Tape& tape) const;  // the three of them

  void visit(Visitor& visitor) {
    visitor.child("cell", cell);
    visitor.child("key", key);
    visitor.child("word", word);
    visitor.child("past", past);
    visitor.parameter("v", v);
  }
  Options options;
  LSTMCell cell;
  Linear key, word, past;  // W_h, W_x (with the bias), W_p
  Variable v;              // [A]
};

}  // namespace heed::nn
