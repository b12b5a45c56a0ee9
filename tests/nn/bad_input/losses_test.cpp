// What losses and the gradient check refuse.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/gradcheck.h"
#include "autograd/modes.h"
#include "autograd/ops.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("autograd: losses") {
    refuses<ShapeError>("mse_loss: the prediction and its target must have one shape; got [2] and [2, 1]", [] {
      mse_loss(leaf({2}), constant({2, 1}));
    });
    refuses<DTypeError>("mse_loss: both must have one dtype; got a f32 [2] and b f64 [2]; convert one with to(...)",
                        [] { mse_loss(leaf({2}), constant({2}, DType::f64)); });
    refuses<DTypeError>("mse_loss: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { mse_loss(Variable(wholes({2})), Variable(wholes({2}))); });
    refuses<ValueError>("mse_loss: a mean needs at least one element; got [0]",
                        [] { mse_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("l1_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { l1_loss(leaf({2}), constant({3})); });
    refuses<ValueError>("l1_loss: a mean needs at least one element; got [0]",
                        [] { l1_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("huber_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { huber_loss(leaf({2}), constant({3})); });
    refuses<ValueError>("huber_loss: the parameter must fit f32; got 1e+40",
                        [] { huber_loss(leaf({2}), leaf({2}), {.delta = 1e40}); });
    refuses<ValueError>("smooth_l1_loss: the parameter must fit f32; got 1e-50",
                        [] { smooth_l1_loss(leaf({2}), leaf({2}), {.beta = 1e-50}); });
    refuses<ValueError>("huber_loss: delta must be positive and finite; got 0",
                        [] { huber_loss(leaf({2}), constant({2}), {.delta = 0}); });
    refuses<ValueError>("huber_loss: a mean needs at least one element; got [0]",
                        [] { huber_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("smooth_l1_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { smooth_l1_loss(leaf({2}), constant({3})); });
    refuses<ValueError>("smooth_l1_loss: beta must be finite and not negative; got -1",
                        [] { smooth_l1_loss(leaf({2}), constant({2}), {.beta = -1}); });
    refuses<ValueError>("smooth_l1_loss: a mean needs at least one element; got [0]",
                        [] { smooth_l1_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("bce_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { bce_loss(leaf({2}), constant({3})); });
    refuses<ValueError>(
        "bce_loss: probabilities must lie in [0, 1]; got nan at position 0; hint: logits go to bce_with_logits_loss",
        [] { bce_loss(leaf({2}) * kNan, constant({2})); });
    refuses<ValueError>(
        "bce_loss: probabilities must lie in [0, 1]; got 1.5 at position 0; hint: logits go to bce_with_logits_loss",
        [] { bce_loss(leaf({2}) * 1.5, constant({2})); });
    refuses<ValueError>("bce_loss: a mean needs at least one element; got [0]",
                        [] { bce_loss(leaf({0}), constant({0})); });
    refuses<ShapeError>("bce_with_logits_loss: the prediction and its target must have one shape; got [2] and [3]",
                        [] { bce_with_logits_loss(leaf({2}), constant({3})); });
    refuses<ShapeError>("bce_with_logits_loss: pos_weight must broadcast to the prediction; got [3, 1] and [2]", [] {
      bce_with_logits_loss(leaf({2}), constant({2}), {.pos_weight = ones({3, 1})});
    });
    refuses<DTypeError>(
        "bce_with_logits_loss: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)",
        [] { bce_with_logits_loss(leaf({2}), constant({2}), {.pos_weight = wholes({2})}); });
    refuses<ShapeError>("kl_div: the prediction and its target must have one shape; got [2] and [3]",
                        [] { kl_div(leaf({2}), constant({3})); });
    refuses<ValueError>("kl_div: a mean needs at least one element; got [0, 2]", [] {
      kl_div(leaf({0, 2}), constant({0, 2}));
    });
    refuses<ShapeError>(
        "nll_loss: log-probabilities [.., V] need targets [..]; got log-probabilities [2, 3] and targets [3]", [] {
          nll_loss(leaf({2, 3}), ids({0, 1, 2}));
        });
    refuses<IndexError>("nll_loss: a target must lie in [0, 3) or be ignored; got 3 at position 1", [] {
      nll_loss(leaf({2, 3}), ids({0, 3}));
    });
    refuses<DTypeError>("nll_loss: targets must be i64; got f32 [2]", [] { nll_loss(leaf({2, 3}), ones({2})); });
    refuses<ShapeError>("cross_entropy: logits [.., V] need targets [..]; got logits [2, 3] and targets [3]", [] {
      cross_entropy(leaf({2, 3}), ids({0, 1, 2}));
    });
    refuses<ShapeError>("cross_entropy: logits [.., V] need targets [..]; got logits [] and targets [1]",
                        [] { cross_entropy(leaf({}), ids({0})); });
    refuses<ShapeError>("cross_entropy: needs at least one class; got logits [2, 0]", [] {
      cross_entropy(leaf({2, 0}), ids({-100, -100}));
    });
    refuses<IndexError>("cross_entropy: a target must lie in [0, 3) or be ignored; got -1 at position 1", [] {
      cross_entropy(leaf({2, 3}), ids({0, -1}));
    });
    refuses<DTypeError>("cross_entropy: targets must be i64; got f32 [2]", [] {
      cross_entropy(leaf({2, 3}), ones({2}));
    });
    refuses<DTypeError>("cross_entropy: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      cross_entropy(Variable(wholes({2, 3})), ids({0, 1}));
    });
    refuses<ValueError>("cross_entropy: label smoothing must lie in [0, 1); got 1", [] {
      cross_entropy(leaf({2, 3}), ids({0, 1}), {.label_smoothing = 1});
    });
    refuses<ShapeError>("cross_entropy: needs a weight for each class, [3]; got [2]", [] {
      cross_entropy(leaf({2, 3}), ids({0, 1}), {.weight = ones({2})});
    });
    refuses<ShapeError>(
        "cross_entropy: distributions must have the shape of the logits; got logits [2, 3] and targets [2, 2]", [] {
          cross_entropy(leaf({2, 3}), ones({2, 2}));
        });
    refuses<ShapeError>("cross_entropy: logits [.., V] need targets [..]; got logits [2, 3] and targets [3]", [] {
      cross_entropy_composed(leaf({2, 3}), ids({0, 1, 2}));
    });
  }

  TEST_CASE("autograd: gradcheck") {
    auto same = [](const std::vector<Variable>& in) { return in[0]; };
    refuses<DTypeError>("gradcheck: inputs must be f64, since differences need its digits; got f32 [2]",
                        [&] { gradcheck(same, {ones({2})}); });
    refuses<ValueError>(
        "gradcheck: needs a step above 0, a tolerance of at least 0 and at least one direction; got 0, 1e-06 and 4",
        [&] { gradcheck(same, {ones({2}, DType::f64)}, {.step = 0}); });
    refuses<ValueError>(
        "gradcheck: needs a step above 0, a tolerance of at least 0 and at least one direction; got 6e-06, 1e-06 and 0",
        [&] { gradcheck(same, {ones({2}, DType::f64)}, {.directions_per_input = 0}); });
    refuses<ValueError>(
        "gradcheck: f must give the same value for the same input; got two; hint: seed it inside f", [] {
          int runs = 0;
          gradcheck([&](const std::vector<Variable>& in) { return in[0] * ++runs; }, {ones({2}, DType::f64)});
        });
    refuses<ShapeError>("gradcheck: the surrogate must have as many values as f; got 1 for 2", [&] {
      gradcheck(same, {ones({2}, DType::f64)}, {.surrogate = [](const auto& in) { return sum(in[0]); }});
    });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] {
      gradcheck([](const std::vector<Variable>&) { return Variable(); }, {ones({2}, DType::f64)});
    });
  }
}
