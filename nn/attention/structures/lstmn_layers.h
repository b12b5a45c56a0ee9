// Layers of LSTMN (nn/attention/structures/lstmn.h), one above the other and in one or two directions, with the same
// calls as the other recurrent layers, so that a model can have the cell lstmn (nn/models/any_recurrent.h).
//
//   layer k reads the outputs h of layer k - 1, after dropout
//   two directions: a second LSTMN reads each sentence from its last word to its first, and h_t = [forward; backward]
//
// clang-format off
//   states before a step   h, c of each layer: the first entries of the tapes
//   states after a step    h, c of each layer, then for each layer:
//                          h~ | h_1 .. h_n | c_1 .. c_n | keys_1 .. keys_n
// clang-format on
//
// A step passes its tapes on inside the list of states, whose entries all have the batch as their first axis. So a
// search can select rows of them like those of any other state. B batch, T time, I input width, N hidden width.
#pragma once

#include "nn/attention/structures/lstmn.h"

namespace heed::nn {

struct LSTMNLayersOptions {
  int64_t input, hidden;
  int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // between layers
  int64_t tape = 0;    // as in LSTMNOptions
};

struct LSTMNLayers : Module {
  using Options = LSTMNLayersOptions;
  LSTMNLayers(const Options& options, Generator& rng);

  struct Sequence {
    Variable annotations;        // [B, T, N], or [B, T, 2N] with two directions
    std::vector<Variable> last;  // h, c of each layer: forward, then backward
    Variable cells;              // [B, T, N], the c of the last layer; undefined with two directions
  };
  // x [B, T, I]; `initial` is empty or has h and c of each layer (and direction).
  Sequence operator()(const Variable& x, const Tensor& lengths, const std::vector<Variable>& initial) const;
  // x [B, I]; one direction only. `added`: see LSTMN::gates, of the last layer.
  std::vector<Variable> step(const Variable& x, const std::vector<Variable>& before, const Variable& added) const;

  void visit(Visitor& v);
  Options options;
  std::vector<LSTMN> sides;  // of each layer forward, then backward
  Dropout dropout;
};

// The words of each sentence in the opposite order; padding stays where it is. x [B, T, D], lengths [B] or undefined
Variable reversed_words(const Variable& x, const Tensor& lengths);

}  // namespace heed::nn
