// What layers and recurrent encoders refuse.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/norm.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/padding.h"
#include "nn/recurrent/rnn.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("nn: layers, norms, initial values") {
    refuses<ValueError>("Linear: in must be at least 1; got 0", [] { nn::Linear({.in = 0, .out = 3}, dice); });
    refuses<ValueError>("Linear: out must be at least 1; got -1", [] { nn::Linear({.in = 3, .out = -1}, dice); });
    refuses<ShapeError>("linear: x [.., I] and w [O, I] must agree in I; got x [2, 4] and w [2, 3]", [] {
      nn::Linear({.in = 3, .out = 2}, dice)(constant({2, 4}));
    });
    refuses<DTypeError>("matmul: both must have one dtype; got a f64 [2, 3] and b f32 [3, 2]; convert one with to(...)",
                        [] {
                          nn::Linear({.in = 3, .out = 2}, dice)(constant({2, 3}, DType::f64));
                        });
    refuses<ValueError>("Embedding: vocabulary must be at least 1; got 0",
                        [] { nn::Embedding({.vocabulary = 0, .width = 3}, dice); });
    refuses<ValueError>("Embedding: width must be at least 1; got 0",
                        [] { nn::Embedding({.vocabulary = 4, .width = 0}, dice); });
    refuses<ValueError>("Embedding: padding must be a row of the table; got 4 of 4 rows",
                        [] { nn::Embedding({.vocabulary = 4, .width = 3, .padding = 4}, dice); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean 0 and std nan",
                        [] { nn::Embedding({.vocabulary = 4, .width = 3, .std = kNan}, dice); });
    refuses<IndexError>("index_select: an index must lie in [0, 4); got 4 at position 0",
                        [] { nn::Embedding({.vocabulary = 4, .width = 3}, dice)(ids({4})); });
    refuses<ValueError>("Dropout: p must lie in [0, 1]; got -0.1", [] { nn::Dropout({.p = -0.1}, dice); });
    refuses<ValueError>("LayerNorm: shape needs at least one axis; got []", [] { nn::LayerNorm({.shape = {}}, dice); });
    refuses<ShapeError>("empty: sizes must not be negative; got [-3]", [] { nn::LayerNorm({.shape = {-3}}, dice); });
    refuses<ShapeError>("LayerNorm: the last axes of x must be [3]; got x [2, 4]", [] {
      nn::LayerNorm({.shape = {3}}, dice)(constant({2, 4}));
    });
    refuses<ValueError>("layer_norm: eps must not be negative; got -1", [] {
      nn::LayerNorm({.shape = {3}, .eps = -1}, dice)(constant({2, 3}));
    });
    refuses<ValueError>("RMSNorm: shape needs at least one axis; got []", [] { nn::RMSNorm({.shape = {}}, dice); });
    refuses<ShapeError>("RMSNorm: the last axes of x must be [3]; got x [2, 4]", [] {
      nn::RMSNorm({.shape = {3}}, dice)(constant({2, 4}));
    });
    refuses<ShapeError>("xavier_uniform: needs weights [O, I, ..]; got [3]",
                        [] { nn::init::xavier_uniform({3}, dice); });
    refuses<ShapeError>("xavier_normal: needs weights [O, I, ..]; got [3]", [] { nn::init::xavier_normal({3}, dice); });
    refuses<ShapeError>("kaiming_uniform: needs weights [O, I, ..]; got [3]",
                        [] { nn::init::kaiming_uniform({3}, dice); });
    refuses<ShapeError>("kaiming_normal: needs weights [O, I, ..]; got [3]",
                        [] { nn::init::kaiming_normal({3}, dice); });
    refuses<ShapeError>("orthogonal: needs weights [O, I, ..]; got [3]", [] { nn::init::orthogonal({3}, dice); });
    refuses<ValueError>("uniform: needs a finite low <= high; got 1 and 0",
                        [] { nn::init::uniform({3}, dice, {.low = 1, .high = 0}); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean 0 and std -1",
                        [] { nn::init::normal({3}, dice, {.std = -1}); });
    refuses<ValueError>(
        "truncated_normal: [low, high] must hold at least 1 % of the values; got [8, 9] of mean 0 and std 1",
        [] { nn::init::truncated_normal({3}, dice, {}, {.low = 8, .high = 9}); });
    refuses<ValueError>(
        "truncated_normal: [low, high] must hold at least 1 % of the values; got [-1, 1] of mean 0 and std -1",
        [] { nn::init::truncated_normal({3}, dice, {.std = -1}, {.low = -1, .high = 1}); });
    refuses<ShapeError>("truncated_normal: sizes must not be negative; got [-3]",
                        [] { nn::init::truncated_normal({-3}, dice, {}, {.low = -1, .high = 1}); });
    refuses<ValueError>("gain: the nonlinearity must be one of the five; got number 9",
                        [] { nn::init::gain(static_cast<nn::init::Nonlinearity>(9)); });
    refuses<DTypeError>("ParameterDType: a model is f32 or f64; got bool",
                        [] { nn::ParameterDType guard(DType::boolean); });
    refuses<DTypeError>("convert: a model is f32 or f64; got i64", [] {
      nn::Linear model({.in = 3, .out = 2}, dice);
      nn::convert(model, DType::i64);
    });
  }

  TEST_CASE("nn: recurrent") {
    refuses<ValueError>("RNN: widths must be positive; got input 0 and hidden 3",
                        [] { nn::RNN({.input = 0, .hidden = 3}, dice); });
    refuses<ValueError>("GRU: widths must be positive; got input 3 and hidden 0",
                        [] { nn::GRU({.input = 3, .hidden = 0}, dice); });
    refuses<ValueError>("LSTM: needs at least one layer; got 0",
                        [] { nn::LSTM({.input = 3, .hidden = 3, .layers = 0}, dice); });
    refuses<ValueError>("LSTM: forget_bias needs biases; got 1 with bias = false",
                        [] { nn::LSTM({.input = 3, .hidden = 3, .bias = false, .forget_bias = 1}, dice); });
    refuses<ValueError>("Dropout: p must lie in [0, 1]; got 2",
                        [] { nn::GRU({.input = 3, .hidden = 3, .dropout = 2}, dice); });
    refuses<ShapeError>("GRU: needs x [B, T, 3] with T at least 1; got [5, 3]; hint: unsqueeze(x, 0) is a batch of one",
                        [] {
                          nn::GRU({.input = 3, .hidden = 2}, dice)(constant({5, 3}));
                        });
    refuses<ShapeError>("GRU: needs x [B, T, 3] with T at least 1; got [1, 5, 4]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 5, 4}));
    });
    refuses<ShapeError>("GRU: needs x [B, T, 3] with T at least 1; got [1, 0, 3]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 0, 3}));
    });
    refuses<DTypeError>("GRU: both must have one dtype; got a f64 [1, 5, 3] and b f32 [6, 3]; convert one with to(...)",
                        [] {
                          nn::GRU({.input = 3, .hidden = 2}, dice)(constant({1, 5, 3}, DType::f64));
                        });
    refuses<ShapeError>("GRU: needs one length a sentence, [2]; got [1]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({5}));
    });
    refuses<ValueError>("length_mask: a length must lie in [1, 5]; got 6 in row 1", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({5, 6}));
    });
    refuses<ValueError>("length_mask: a length must lie in [1, 5]; got 0 in row 0", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ids({0, 5}));
    });
    refuses<ShapeError>("length_mask: lengths must be [B] i64; got f32 [2]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), ones({2}));
    });
    refuses<ShapeError>("GRU: the initial state must be [layers x directions, B, N] = [1, 2, 2]; got [2, 2]", [] {
      nn::GRU({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), {}, constant({2, 2}));
    });
    refuses<ValueError>("LSTM: the initial state needs all its 2 parts; got 1", [] {
      nn::LSTM({.input = 3, .hidden = 2}, dice)(constant({2, 5, 3}), {}, {constant({1, 2, 2}), {}});
    });
    refuses<ShapeError>("RNN: needs i [B, N], h [B, N] and keep [B] bool; got [4, 2], [1, 2] and no keep", [] {
      nn::RNNCell cell({.input = 3, .hidden = 2}, dice);
      cell(constant({4, 3}), constant({1, 2}));
    });
    refuses<ShapeError>("RNN: needs i [B, N], h [B, N] and keep [B] bool; got [4, 2], [4, 2] and f32 [4]", [] {
      nn::RNNCell cell({.input = 3, .hidden = 2}, dice);
      cell.apply_state(constant({4, 2}), constant({4, 2}), ones({4}));
    });
    refuses<ShapeError>(
        "gru_gates: needs i [B, 3N], g [B, 3N], h [B, N] and keep [B] bool; got [4, 6], [4, 6], [4, 3] and no keep",
        [] {
          nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 3}));
        });
    refuses<ShapeError>(
        "gru_gates: needs i [B, 3N], g [B, 3N], h [B, N] and keep [B] bool; got [4, 6], [4, 6], [4, 2] and f32 [4]",
        [] {
          nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 2}), ones({4}));
        });
    refuses<DTypeError>(
        "gru_gates: both must have one dtype; got a f32 [4, 6] and b f64 [4, 2]; convert one with to(...)", [] {
          nn::gru_gates(constant({4, 6}), constant({4, 6}), constant({4, 2}, DType::f64));
        });
    refuses<ShapeError>(
        "lstm_gates: needs in [B, 4N], past [B, 4N], h [B, N], c [B, N] and keep [B] bool; got [4, 8], [4, 8], [4, 2], "
        "none and no keep",
        [] {
          nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), {}});
        });
    refuses<ShapeError>(
        "lstm_gates: needs in [B, 4N], past [B, 4N], h [B, N], c [B, N] and keep [B] bool; got [4, 8], [4, 8], [4, 2], "
        "[4, 2] and f32 [4]",
        [] {
          nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), constant({4, 2})}, ones({4}));
        });
    refuses<DTypeError>(
        "lstm_gates: both must have one dtype; got a f32 [4, 8] and b f64 [4, 2]; convert one with to(...)", [] {
          nn::lstm_gates(constant({4, 8}), constant({4, 8}), {constant({4, 2}), constant({4, 2}, DType::f64)});
        });
  }
}
