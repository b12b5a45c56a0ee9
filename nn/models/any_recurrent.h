// Recurrent layers whose cell is chosen by name (rnn, gru, lstm or lstmn), for models whose encoder and decoder may use
// any of them.
//
// clang-format off
//   a sequence   annotations, last = layers(x, lengths, initial)   one node per layer and direction
//   one step     states = layers.step(x, states)                   for decoders, whose next input
//                                                                  is not yet known
// clang-format on
//
// The states of all layers are one list, layer by layer (forward, then backward). Each has its parts: h, and for an
// LSTM and an LSTMN also c. After a step, an LSTMN appends the tapes of its layers to the list
// (nn/attention/structures/lstmn_layers.h). Legend: B batch, T time, I input width, N hidden width, D directions.
#pragma once

#include <string>
#include <variant>

#include "nn/attention/structures/lstmn_layers.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"

namespace heed::nn {

struct AnyRecurrentOptions {
  std::string cell = "gru";
  int64_t input, hidden;
  int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;      // between layers
  double forget_bias = 0;  // of an LSTM, see lstm.h
  int64_t tape = 0;        // of an LSTMN: number of most recent states that it attends to; 0: all
};

// What the cells can do, by name.
std::vector<std::string> recurrent_cells();
bool keeps_tape(const std::string& cell);  // attends to its past, and lets a step add to its memory cell
std::string cells_with_tape();             // the names of those that do, for a sentence: "lstmn"
int64_t state_parts(const std::string& cell);
// The name and the shape of the recurrent weights of the first layer, as a file has them.
std::pair<std::string, Shape> first_weights(const std::string& cell, int64_t hidden);

using States = std::vector<Variable>;  // [B, N] each, then what else a step passes on; the first axis is the batch

struct AnyRecurrent : Module {
  using Options = AnyRecurrentOptions;
  AnyRecurrent(const Options& options, Generator& rng);  // ValueError for an unknown cell

  struct Sequence {
    Variable annotations;  // [B, T, D N], the encoder outputs
    States last;
    Variable cells = {};  // [B, T, N], the c of the last layer; LSTMN in one direction only
  };
  Sequence operator()(const Variable& x, const Tensor& lengths = {}, const States& initial = {}) const;
  // x [B, I]; one direction only. `added` [B, N] goes to the memory cell of the last layer; LSTMN only.
  States step(const Variable& x, const States& before, const Variable& added = {}) const;

  int64_t parts() const;                       // parts of one layer's state: 1, or 2 with a memory cell
  const Variable& top(const States& s) const;  // h of the last layer (of its backward direction, if there are two)
  Variable outputs(const States& last) const;  // h of the last layer, both directions concatenated: [B, D N]
  void visit(Visitor& v) {
    std::visit([&](auto& l) { l.visit(v); }, layers);
  }
  Options options;
  std::variant<RNN, GRU, LSTM, LSTMNLayers> layers;
};

}  // namespace heed::nn
