// LSTMN: an LSTM that attends to its own past ("Long Short-Term Memory-Networks for Machine Reading", section 3.2). The
// paper calls attention within one sequence intra-attention.
//
// With a tape of one entry this is an ordinary LSTM. At the first step the tape is empty and the summary is 0; a
// decoder starts with its first state on the tape.
#pragma once

#include "nn/attention/stage.h"
#include "nn/layers.h"
#include "nn/recurrent/lstm.h"

namespace heed::nn {

struct LSTMNOptions {
  int64_t input, hidden;
  int64_t attention = 0;  // A; 0: the hidden width
  int64_t tape = 0;       // number of most recent states that are kept; 0: all
};

// The states that the model can attend to, the oldest first, and the result of the last read.
struct Tape {
  std::vector<Variable> h, c;  // [B, N] each
  std::vector<Variable> keys;  // W_h h_i [B, A]
  Variable summary = {};       // h~ [B, N]; undefined before the first step, where it counts as 0
  Variable weights = {};       // [B, entries], attention weights of the last step
};

struct LSTMN : Module {
  static constexpr About about{
      .names = {"E2", "lstmn", "LSTMN", "intra-attention", "shallow and deep fusion"},
      .formula =
          "w_t = softmax_i<t(v . tanh(W_h h_i + W_x x_t + W_p h~)),  (h~, c~) = sum_i w_ti (h_i, c_i),  h_t = "
          "LSTM(x_t, h~, c~)",
      .paper = {"Cheng, Dong and Lapata, EMNLP 2016", 2016, 1},
      .idea =
          "A recurrent cell keeps all its earlier states on a tape and attends to them. In the update a mixture of "
          "them takes the place of the previous state. So a word can be connected with a distant one without passing "
          "through all states between them.",
      .wrong =
          "The mixture of all earlier states replaces the previous state. It is not an input in addition to the "
          "previous state.",
      .shapes = "x [B, T, I] -> h, c [B, T, N]",
      .cost = "T^2 A scores, 2 T^2 N products; A (2 N + I + 2) parameters in addition to the cell's",
      .own = {"a_tape_of_one_is_an_lstm", "reads_only_what_came_before", "fusion_without_the_source"},
      .exempt = {{"empty_row_reads_zero", "it takes no mask; only the row of the first word is empty"},
                 {"masked_keys_are_absent", "each word attends to previous words only, which are never padding"},
                 {"padding_is_never_read",
                  "it takes lengths and no mask: the test `padding: recurrent layers` has them"},
                 {"rows_sum_to_one", "the first word has no previous words, so its row of weights is 0"}},
      .cases = "LSTMN",
      .option = "cell",
      .text = "lstmn",
      .more = "--order bahdanau is shallow fusion; --order deep with --bidirectional false is deep fusion",
  };

  using Options = LSTMNOptions;
  LSTMN(const Options& options, Generator& rng);

  struct Sequence {
    Variable h, c;   // [B, T, N]: all states; 0 after a sentence's end
    LSTMState last;  // [B, N]: the state at each sentence's last word
  };
  Sequence operator()(const Variable& x, const Tensor& lengths = {}, const LSTMState& first = {}) const;  // x [B, T, I]

  Tape begin(const LSTMState& first = {}) const;           // an empty tape, or one with a first state
  LSTMState summary(const Variable& x, Tape& tape) const;  // h~_t, c~_t for x [B, I]; Observe receives the weights
  // `added` [B, N], if defined, is added to c_t before h_t is computed from it (deep fusion, lstmn_decoder.h).
  LSTMState gates(const Variable& x, const LSTMState& summary, const Variable& added = {}) const;
  void write(const LSTMState& state, Tape& tape) const;
  LSTMState step(const Variable& x, Tape& tape, const Variable& added = {}) const;  // summary, gates and write

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
