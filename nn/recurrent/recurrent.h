// Recurrent layers: one cell applied along a sequence, in several layers, in one direction or both.
//
// clang-format off
//   forward    s_t = cell(x_t, s_{t-1})   for t = 1, 2, .., length
//   backward   s_t = cell(x_t, s_{t+1})   for t = length, .., 1  (Schuster, Paliwal, IEEE TSP 1997)
//   each layer above the first reads the outputs h_t of the layer below, both directions joined
// clang-format on
//
// RNN, GRU and LSTM differ only in the cell. A cell has two halves: apply_input needs no state, so one matrix product
// computes it for all time steps, and apply_state is computed step by step. For a sequence, both are one graph node per
// layer and direction (apply_sequence; sequence.h); the two halves are for callers that compute single steps.
//
// Legend: B batch, T time, I input width, N hidden width, G gates of a cell, L layers, D directions.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "nn/layers.h"
#include "nn/recurrent/sequence.h"

namespace heed::nn {

// The state that a cell passes from step to step: a Variable [B, N], or a struct of several. parts() lists them for
// code that treats all parts alike (initial zeros, selecting one layer of a given state, stacking the last states). The
// first part is the output of the cell.
inline std::array<Variable*, 1> parts(Variable& state) { return {&state}; }

// What all cells have: the weights of both halves, with the G gates stacked in the rows. Names as in PyTorch.
struct RecurrentCell : Module {
  Variable apply_input(const Variable& x) const;  // x W_ih^T + b_ih      [.., I] -> [.., G N]
  void visit(Visitor& v) {
    v.parameter("weight_ih", weight_ih);
    v.parameter("weight_hh", weight_hh);
    v.parameter("bias_ih", bias_ih);
    v.parameter("bias_hh", bias_hh);
  }
  // [G N, I], [G N, N], [G N], [G N]; without biases they are undefined.
  Variable weight_ih, weight_hh, bias_ih, bias_hh;

 protected:
  struct Sizes {
    int64_t gates, input, hidden;
    bool bias;
  };
  RecurrentCell(const char* name, const Sizes& sizes, Generator& rng);  // all are U(-1/sqrt(N), 1/sqrt(N))
  Variable project(const Variable& h) const;                            // h W_hh^T + b_hh      [B, N] -> [B, G N]
};

template <class State>
struct SequenceOutput {
  // [B, T, D N]: the last layer's output at each step, both directions concatenated; 0 after the end of a sentence.
  Variable annotations;
  State state;  // [L D, B, N] for each part: the last state of each layer and direction
};

// A whole sequence: x [B, T, I]; lengths [B] i64 (if absent, all are T); initial state [L D, B, N] (if absent, zeros).
// The backward direction starts at the last word of each sentence, not at the padding after it. The contents of x in
// the padding do not matter, not even NaN. Dropout applies to the outputs that one layer passes to the next.
//
// A cell must define Options {input, hidden, layers, bidirectional, dropout, bias}, State, kName (for errors),
// apply_input, apply_state(in, state, keep) and apply_sequence. A new cell also needs a line in recurrent.cpp and, to
// be chosen by name, a row in nn/models/any_recurrent.cpp.
template <class Cell>
struct Recurrent : Module {
  using Options = typename Cell::Options;
  using State = typename Cell::State;
  Recurrent(const Options& options, Generator& rng);
  SequenceOutput<State> operator()(const Variable& x, const Tensor& lengths = {}, const State& initial = {}) const;
  void visit(Visitor& v);
  int64_t directions() const { return options.bidirectional ? 2 : 1; }
  Options options;
  std::vector<Cell> cells;  // layer by layer; in each layer forward, then backward
  Dropout dropout;
};

}  // namespace heed::nn
