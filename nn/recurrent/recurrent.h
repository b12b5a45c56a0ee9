// Recurrent layers: one cell applied along a sequence, layer upon layer, in one direction or in both.
//
//   forward    s_t = cell(x_t, s_{t-1})   for t = 1, 2, .., length
//   backward   s_t = cell(x_t, s_{t+1})   for t = length, .., 2, 1      (Schuster and Paliwal, IEEE TSP 1997)
//   a layer above the first reads the outputs h_t of the one below, both directions side by side
//
// RNN, GRU and LSTM are this with another cell. A cell has two halves: apply_input, which needs no state and so is done
// for all time steps in one product, and apply_state, which is done step by step. In a sequence both are one node of
// the graph for each layer and direction (apply_sequence; sequence.h); the halves are for steps that are made one by
// one. B batch, T time, I input width, N hidden width, G gates of a cell, L layers, D directions.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "nn/layers.h"
#include "nn/recurrent/sequence.h"

namespace heed::nn {

// What a cell hands from step to step: a Variable [B, N], or a struct of several such. parts() lists them, for all that
// treats each of them alike (zeros at the start, one row of a given state, stacking the last ones). The first is the
// cell's output.
inline std::array<Variable*, 1> parts(Variable& state) { return {&state}; }

// What all cells hold: the weights of both halves, the G gates below each other in the rows. Names as in PyTorch.
struct RecurrentCell : Module {
  Variable apply_input(const Variable& x) const;  // x W_ih^T + b_ih      [.., I] -> [.., G N]
  void visit(Visitor& v) {
    v.parameter("weight_ih", weight_ih);
    v.parameter("weight_hh", weight_hh);
    v.parameter("bias_ih", bias_ih);
    v.parameter("bias_hh", bias_hh);
  }
  Variable weight_ih, weight_hh, bias_ih, bias_hh;  // [G N, I], [G N, N], [G N], [G N]; no biases: undefined

 protected:
  struct Sizes {
    int64_t gates, input, hidden;
    bool bias;
  };
  RecurrentCell(const char* name, const Sizes& sizes, Generator& rng);  // all U(-1/sqrt(N), 1/sqrt(N))
  Variable project(const Variable& h) const;                            // h W_hh^T + b_hh      [B, N] -> [B, G N]
};

template <class State>
struct SequenceOutput {
  Variable annotations;  // [B, T, D N]: the last layer's output at each step, forward and backward side by side; 0
                         // behind the end
  State state;           // [L D, B, N], each part: each layer's and direction's last state
};

// A whole sequence: x [B, T, I], lengths [B] i64 (absent: all T), initial state [L D, B, N] (absent: zeros). In the
// backward direction a sentence is read from its own last word, not from the padding after it; what x holds there does
// not matter, not even NaN. Dropout falls on what one layer hands to the next.
//
// A cell brings Options {input, hidden, layers, bidirectional, dropout, bias}, State, kName (for errors), apply_input,
// apply_state(i, state, keep) and apply_sequence. A new one needs its line at the end of recurrent.cpp.
template <class Cell>
struct Recurrent : Module {
  using Options = typename Cell::Options;
  using State = typename Cell::State;
  Recurrent(const Options& options, Generator& rng);
  SequenceOutput<State> operator()(const Variable& x, const Tensor& lengths = {}, const State& initial = {}) const;
  void visit(Visitor& v);
  int64_t directions() const { return options.bidirectional ? 2 : 1; }
  Options options;
  std::vector<Cell> cells;  // layer by layer; forward, then backward
  Dropout dropout;
};

}  // namespace heed::nn
