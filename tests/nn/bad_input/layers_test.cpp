// What layers and recurrent encoders refuse.
#include "nn/attention/scores/additive_score.h"
#include "nn/models/attention_decoder.h"
#include "nn/recurrent/sequence.h"
#include "tests/nn/bad_input/refuses.h"

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/norm.h"
#include "nn/padding.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/sequential.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
nn::SequenceInputs gru_inputs() {
  return {constant({3, 2, 4}), constant({15, 4}), constant({15, 5}), {}, {}, {constant({2, 5})}};
}
nn::DecoderInputs decoder_inputs() {
  return {constant({2, 3, 3}), constant({2, 5}), constant({2, 4, 6}), constant({2, 4, 7}), {},
          constant({7, 5}),    constant({7}),    constant({15, 9}),   constant({15, 5}),   constant({15}),
          constant({15})};
}
}  // namespace

TEST_CASE("nn: layers, norms, initial values") {
  refuses("Linear: 1 got 0", [] { nn::Linear({.in = 0, .out = 3}, dice); });
  refuses("Linear: out 1 got -1", [] { nn::Linear({.in = 3, .out = -1}, dice); });
  refuses<ShapeError>("linear: [.., I] [O, I] agree got [2, 4] [2, 3]", [] {
    nn::Linear({.in = 3, .out = 2}, dice)(constant({2, 4}));
  });
  refuses<DTypeError>("matmul: got f64 [2, 3] f32 [3, 2]", [] {
    nn::Linear({.in = 3, .out = 2}, dice)(constant({2, 3}, DType::f64));
  });
  refuses("Embedding: vocabulary 1 got 0", [] { nn::Embedding({.vocabulary = 0, .width = 3}, dice); });
  refuses("Embedding: width 1 got 0", [] { nn::Embedding({.vocabulary = 4, .width = 0}, dice); });
  refuses("Embedding: padding got 4 4", [] { nn::Embedding({.vocabulary = 4, .width = 3, .padding = 4}, dice); });
  refuses("normal: 0 got 0 nan", [] { nn::Embedding({.vocabulary = 4, .width = 3, .std = kNan}, dice); });
  refuses<IndexError>("index_select: index [0, 4) got 4 0",
                      [] { nn::Embedding({.vocabulary = 4, .width = 3}, dice)(ids({4})); });
  refuses("Dropout: [0, 1] got -0.1", [] { nn::Dropout({.p = -0.1}, dice); });
  refuses("LayerNorm: got []", [] { nn::LayerNorm({.shape = {}}, dice); });
  refuses<ShapeError>("empty: negative got [-3]", [] { nn::LayerNorm({.shape = {-3}}, dice); });
  refuses<ShapeError>("LayerNorm: [3] got [2, 4]", [] { nn::LayerNorm({.shape = {3}}, dice)(constant({2, 4})); });
  refuses("layer_norm: got -1", [] { nn::LayerNorm({.shape = {3}, .eps = -1}, dice)(constant({2, 3})); });
  refuses("RMSNorm: got []", [] { nn::RMSNorm({.shape = {}}, dice); });
  refuses<ShapeError>("RMSNorm: [3] got [2, 4]", [] { nn::RMSNorm({.shape = {3}}, dice)(constant({2, 4})); });
  refuses("clone: child options copyable got child 1", [] {
    struct Bare : nn::Module {  // made without options
      Variable operator()(const Variable& x) const { return x; }
      void visit(nn::Visitor&) {}
    };
    nn::Sequential net{nn::ReLU(), Bare()};
    nn::clone(net);
  });
  refuses<ShapeError>("xavier_uniform: [O, I, ..] got [3]", [] { nn::init::xavier_uniform({3}, dice); });
  refuses<ShapeError>("xavier_normal: [O, I, ..] got [3]", [] { nn::init::xavier_normal({3}, dice); });
  refuses<ShapeError>("kaiming_uniform: [O, I, ..] got [3]", [] { nn::init::kaiming_uniform({3}, dice); });
  refuses<ShapeError>("kaiming_normal: [O, I, ..] got [3]", [] { nn::init::kaiming_normal({3}, dice); });
  refuses<ShapeError>("orthogonal: [O, I, ..] got [3]", [] { nn::init::orthogonal({3}, dice); });
  refuses("uniform: finite got 1 0", [] { nn::init::uniform({3}, dice, {.low = 1, .high = 0}); });
  refuses("normal: 0 got 0 -1", [] { nn::init::normal({3}, dice, {.std = -1}); });
  refuses("truncated_normal: [low, high] 1 got [8, 9] 0 1",
          [] { nn::init::truncated_normal({3}, dice, {}, {.low = 8, .high = 9}); });
  refuses("truncated_normal: [low, high] 1 got [-1, 1] 0 -1",
          [] { nn::init::truncated_normal({3}, dice, {.std = -1}, {.low = -1, .high = 1}); });
  refuses<ShapeError>("truncated_normal: got [-3]",
                      [] { nn::init::truncated_normal({-3}, dice, {}, {.low = -1, .high = 1}); });
  refuses("gain: got 9", [] { nn::init::gain(static_cast<nn::init::Nonlinearity>(9)); });
  refuses<DTypeError>("ParameterDType: got bool", [] { nn::ParameterDType guard(DType::boolean); });
  refuses<DTypeError>("convert: got i64", [] {
    nn::Linear model({.in = 3, .out = 2}, dice);
    nn::convert(model, DType::i64);
  });
}

TEST_CASE("nn: recurrent") {
  refuses("RNN: got 0 3", [] { nn::RNN({.input = 0, .hidden = 3}, dice); });
  refuses("GRU: got 3 0", [] { nn::GRU({.input = 3, .hidden = 0}, dice); });
  refuses("LSTM: layer got 0", [] { nn::LSTM({.input = 3, .hidden = 3, .layers = 0}, dice); });
  refuses("LSTM: forget_bias got 1",
          [] { nn::LSTM({.input = 3, .hidden = 3, .bias = false, .forget_bias = 1}, dice); });
  refuses("Dropout: [0, 1] got 2", [] { nn::GRU({.input = 3, .hidden = 3, .dropout = 2}, dice); });
  refuses<ShapeError>("GRU: [B, T, 3] T 1 got [5, 3] 0", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({5, 3}));
  });
  refuses<ShapeError>("GRU: [B, T, 3] T 1 got [1, 5, 4]", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 5, 4}));
  });
  refuses<ShapeError>("GRU: [B, T, 3] T 1 got [1, 0, 3]", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 0, 3}));
  });
  refuses<DTypeError>("GRU: got f64 [1, 5, 3] f32 [6, 3]", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 5, 3}, DType::f64));
  });
  refuses<ShapeError>("GRU: sentence [2] got [1]", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({5}));
  });
  refuses("length_mask: [1, 5] got 6 1", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({5, 6}));
  });
  refuses("length_mask: [1, 5] got 0 0", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({0, 5}));
  });
  refuses<ShapeError>("length_mask: [B] got f32 [2]", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ones({2}));
  });
  refuses<ShapeError>("GRU: initial [layers x directions, B, N] [1, 2, 2] got [2, 2]", [] {
    nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), {}, constant({2, 2}));
  });
  refuses("LSTM: initial 2 got 1", [] {
    nn::LSTM({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), {}, {constant({1, 2, 2}), {}});
  });
  refuses("LSTM: initial 2 got 1", [] {
    nn::LSTM({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), {}, {{}, constant({1, 2, 2})});
  });
  refuses<ShapeError>("RNN: [B, N] [B, N] [B] got [4, 2] [1, 2] keep", [] {
    nn::RNNCell({.input = 3, .hidden = 2}, dice)(constant({4, 3}), constant({1, 2}));
  });
  refuses<ShapeError>("RNN: [B, N] [B, N] [B] got [4, 2] [4, 2] f32 [4]", [] {
    nn::RNNCell({.input = 3, .hidden = 2}, dice).apply_state(constant({4, 2}), constant({4, 2}), ones({4}));
  });
  refuses<ShapeError>("gru_gates: [B, 3N] [B, 3N] [B, N] [B] got [4, 6] [4, 6] [4, 3] keep", [] {
    nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 3}));
  });
  refuses<ShapeError>("gru_gates: [B, 3N] [B, 3N] [B, N] [B] got [4, 6] [4, 6] [4, 2] f32 [4]", [] {
    nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 2}), ones({4}));
  });
  refuses<DTypeError>("gru_gates: got f32 [4, 6] f64 [4, 2]", [] {
    nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 2}, DType::f64));
  });
  refuses<ShapeError>("lstm_gates: [B, 4N] [B, 4N] [B, N] [B, N] [B] got [4, 8] [4, 8] [4, 2] none keep", [] {
    nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), {}});
  });
  refuses<ShapeError>("lstm_gates: [B, 4N] [B, 4N] [B, N] [B, N] [B] got [4, 8] [4, 8] [4, 2] [4, 2] f32 [4]", [] {
    nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), constant({4, 2})}, ones({4}));
  });
  refuses<DTypeError>("lstm_gates: got f32 [4, 8] f64 [4, 2]", [] {
    nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), constant({4, 2}, DType::f64)});
  });
}

TEST_CASE("nn: whole sequences as one node") {
  refuses<ShapeError>(
      "lstm_sequence: [T, B, I] 1 [4N, I] [4N, N] [4N] 2 [B, N] got [3, 2, 4] [15, 4] [15, 5] none none [2, 5]",
      [] { nn::lstm_sequence(gru_inputs()); });
  refuses<ShapeError>("gru_sequence: [T, B] got bool [3] [3, 2, 4]", [] {
    nn::SequenceInputs in = gru_inputs();
    in.keep = Tensor::from_bools({1, 1, 1}, {3});
    nn::gru_sequence(in);
  });
  refuses<DTypeError>("gru_sequence: got f32 [3, 2, 4] f64 [15, 5]", [] {
    nn::SequenceInputs in = gru_inputs();
    in.weight_hh = constant({15, 5}, DType::f64);
    nn::gru_sequence(in);
  });
  refuses<ShapeError>("additive_score: [B, T, A] [B, S, A] [A] got [2, 1, 3] [2, 4, 2] [3]", [] {
    nn::additive_score(constant({2, 1, 3}), constant({2, 4, 2}), constant({3}));
  });
  refuses<ShapeError>(
      "attention_decoder: [B, T, E] 1 [B, N] [B, S, C] [B, S, A] [A, N] [A] [3N, E + C] [3N, N] [3N] [B, 1, S] got "
      "[2, 3, 3] [2, 5] [2, 4, 6] [2, 4, 7] [7, 5] [7] [15, 9] [15, 5] [15]",
      [] {
        nn::DecoderInputs in = decoder_inputs();
        in.bias_ih = {};
        nn::attention_decoder(in);
      });
  refuses<DTypeError>("attention_decoder: got f32 [2, 3, 3] f64 [15, 5]", [] {
    nn::DecoderInputs in = decoder_inputs();
    in.weight_hh = constant({15, 5}, DType::f64);
    nn::attention_decoder(in);
  });
}
