// RNN, GRU and LSTM against PyTorch's numbers: outputs, last states, the gradient of every input and parameter.
#include <doctest/doctest.h>

#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;
using parity::Named;

namespace {

const std::vector<std::string> kParts{"h", "c"};  // as PyTorch calls the parts of a state

template <class Options>
Options options_of(const Golden& g) {
  Options o{.input = g.integer("input_size"), .hidden = g.integer("hidden_size"), .bias = g.flag("bias")};
  if constexpr (std::is_same_v<Options, nn::RNNOptions>)
    o.activation = g.text("nonlinearity") == "relu" ? nn::RNNActivation::relu : nn::RNNActivation::tanh;
  return o;
}

// The parts of a state under their names: "h_n", "c_n".
template <class State>
void append(Named& named, State state, const std::string& suffix) {
  size_t p = 0;
  for (Variable* part : nn::parts(state)) named.emplace_back(kParts[p++] + suffix, *part);
}
template <class State>
State given_state(Golden& g) {
  State state;
  size_t p = 0;
  for (Variable* part : nn::parts(state)) *part = g.leaf(kParts[p++] + "_0");
  return state;
}

template <class M>
void sequence_matches(const std::string& name) {
  in_both_precisions(name, [](Golden& g, DType) {
    using State = typename M::State;
    Generator rng(1);
    auto options = options_of<typename M::Options>(g);
    options.layers = g.integer("num_layers");
    options.bidirectional = g.flag("bidirectional");
    M module(options, rng);
    g.load(module);
    Variable x = g.leaf("x");
    bool given = g.has("input.h_0");
    State initial = given ? given_state<State>(g) : State();
    auto [y, last] = module(x, g.has("input.lengths") ? g.ids("lengths") : Tensor(), initial);
    Named inputs{{"x", x}}, outputs{{"y", y}};
    if (given) append(inputs, initial, "_0");
    append(outputs, last, "_n");
    g.check_module(module, outputs, inputs);
  });
}

template <class Cell>
void cell_matches(const std::string& name) {
  in_both_precisions(name, [](Golden& g, DType) {
    Generator rng(1);
    Cell cell(options_of<typename Cell::Options>(g), rng);
    g.load(cell);
    Variable x = g.leaf("x");
    auto state = given_state<typename Cell::State>(g);
    Named inputs{{"x", x}}, outputs;
    append(inputs, state, "_0");
    append(outputs, cell(x, state), "_1");
    g.check_module(cell, outputs, inputs);
  });
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("GRU: layers, directions, lengths, initial states") {
    for (std::string shape : {"1layer", "2layer", "bi", "2layer_bi"})
      for (std::string form : {"", "_lengths", "_h0", "_lengths_h0"}) sequence_matches<nn::GRU>("gru_" + shape + form);
    sequence_matches<nn::GRU>("gru_1layer_h0_nobias");
  }

  TEST_CASE("LSTM: layers, directions, lengths, initial states") {
    for (std::string shape : {"1layer", "2layer_bi"})
      for (std::string form : {"_lengths", "_h0"}) sequence_matches<nn::LSTM>("lstm_" + shape + form);
    for (std::string shape : {"1layer", "2layer", "bi", "2layer_bi"})
      for (std::string form : {"", "_lengths_h0"}) sequence_matches<nn::LSTM>("lstm_" + shape + form);
    sequence_matches<nn::LSTM>("lstm_1layer_h0_nobias");
  }

  TEST_CASE("RNN: tanh and relu, layers, directions, lengths, initial states") {
    for (std::string f : {"tanh", "relu"})
      for (std::string shape : {"1layer", "2layer_bi"})
        for (std::string form : {"", "_lengths_h0"}) sequence_matches<nn::RNN>("rnn_" + f + "_" + shape + form);
  }

  TEST_CASE("GRUCell, LSTMCell and RNNCell") {
    for (std::string name : {"gru_cell", "gru_cell_nobias"}) cell_matches<nn::GRUCell>(name);
    for (std::string name : {"lstm_cell", "lstm_cell_nobias"}) cell_matches<nn::LSTMCell>(name);
    for (std::string name : {"rnn_tanh_cell", "rnn_relu_cell"}) cell_matches<nn::RNNCell>(name);
  }
}
