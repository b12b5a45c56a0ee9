// Recurrent layers whose cell is chosen by name ("rnn", "gru" or "lstm"), for models whose encoder and decoder may use
// any of them.
//
// clang-format off
//   a sequence   annotations, last = layers(x, lengths, initial)   one node per layer and direction
//   one step     states = layers.step(x, states)                   for decoders, whose next input
//                                                                  is not yet known
// clang-format on
//
// The states of all layers are one list, layer by layer (forward, then backward). Each has its parts: h, and for an
// LSTM also c. Legend: B batch, T time, I input width, N hidden width, D directions.
#pragma once

#include <string>
#include <variant>

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
};

using States = std::vector<Variable>;  // [B, N] each

struct AnyRecurrent : Module {
  using Options = AnyRecurrentOptions;
  AnyRecurrent(const Options& options, Generator& rng);  // ValueError for an unknown cell

  struct Sequence {
    Variable annotations;  // [B, T, D N], the encoder outputs
    States last;
  };
  Sequence operator()(const Variable& x, const Tensor& lengths = {}, const States& initial = {}) const;
  States step(const Variable& x, const States& before) const;  // x [B, I]; one direction only

  int64_t parts() const;                       // parts of one layer's state: 1, or 2 for an LSTM
  const Variable& top(const States& s) const;  // h of the last layer (of its backward direction, if there are two)
  Variable outputs(const States& last) const;  // h of the last layer, both directions concatenated: [B, D N]
  void visit(Visitor& v) {
    std::visit([&](auto& l) { l.visit(v); }, layers);
  }
  Options options;
  std::variant<RNN, GRU, LSTM> layers;
};

}  // namespace heed::nn
