// What losses and the gradient check refuse.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/gradcheck.h"
#include "autograd/ops.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("autograd: losses") {
  refuses<ShapeError>("mse_loss: got [2] [2, 1]", [] { mse_loss(leaf({2}), constant({2, 1})); });
  refuses<DTypeError>("mse_loss: got f32 [2] f64 [2]", [] { mse_loss(leaf({2}), constant({2}, DType::f64)); });
  refuses<DTypeError>("mse_loss: got i64", [] { mse_loss(Variable(wholes({2})), Variable(wholes({2}))); });
  refuses("mse_loss: got [0]", [] { mse_loss(leaf({0}), constant({0})); });
  refuses<ShapeError>("l1_loss: got [2] [3]", [] { l1_loss(leaf({2}), constant({3})); });
  refuses("l1_loss: got [0]", [] { l1_loss(leaf({0}), constant({0})); });
  refuses<ShapeError>("huber_loss: got [2] [3]", [] { huber_loss(leaf({2}), constant({3})); });
  refuses("huber_loss: parameter got 1e+40", [] { huber_loss(leaf({2}), leaf({2}), {.delta = 1e40}); });
  refuses("smooth_l1_loss: parameter got 1e-50", [] { smooth_l1_loss(leaf({2}), leaf({2}), {.beta = 1e-50}); });
  refuses("huber_loss: positive got 0", [] { huber_loss(leaf({2}), constant({2}), {.delta = 0}); });
  refuses("huber_loss: element got [0]", [] { huber_loss(leaf({0}), constant({0})); });
  refuses<ShapeError>("smooth_l1_loss: got [2] [3]", [] { smooth_l1_loss(leaf({2}), constant({3})); });
  refuses("smooth_l1_loss: negative got -1", [] { smooth_l1_loss(leaf({2}), constant({2}), {.beta = -1}); });
  refuses("smooth_l1_loss: element got [0]", [] { smooth_l1_loss(leaf({0}), constant({0})); });
  refuses<ShapeError>("bce_loss: got [2] [3]", [] { bce_loss(leaf({2}), constant({3})); });
  refuses("bce_loss: probabilities [0, 1] got nan 0", [] { bce_loss(leaf({2}) * kNan, constant({2})); });
  refuses("bce_loss: probabilities [0, 1] got 1.5 0", [] { bce_loss(leaf({2}) * 1.5, constant({2})); });
  refuses("bce_loss: element got [0]", [] { bce_loss(leaf({0}), constant({0})); });
  refuses<ShapeError>("bce_with_logits_loss: target got [2] [3]",
                      [] { bce_with_logits_loss(leaf({2}), constant({3})); });
  refuses<ShapeError>("bce_with_logits_loss: pos_weight got [3, 1] [2]", [] {
    bce_with_logits_loss(leaf({2}), constant({2}), {.pos_weight = ones({3, 1})});
  });
  refuses<DTypeError>("bce_with_logits_loss: got f32 [2] i64 [2]",
                      [] { bce_with_logits_loss(leaf({2}), constant({2}), {.pos_weight = wholes({2})}); });
  refuses<ShapeError>("kl_div: got [2] [3]", [] { kl_div(leaf({2}), constant({3})); });
  refuses("kl_div: got [0, 2]", [] { kl_div(leaf({0, 2}), constant({0, 2})); });
  refuses<ShapeError>("nll_loss: log-probabilities [.., V] [..] got log-probabilities [2, 3] [3]", [] {
    nll_loss(leaf({2, 3}), ids({0, 1, 2}));
  });
  refuses<IndexError>("nll_loss: [0, 3) got 3 1", [] { nll_loss(leaf({2, 3}), ids({0, 3})); });
  refuses<DTypeError>("nll_loss: got f32 [2]", [] { nll_loss(leaf({2, 3}), ones({2})); });
  refuses<ShapeError>("cross_entropy: logits [.., V] need [..] got logits [2, 3] [3]", [] {
    cross_entropy(leaf({2, 3}), ids({0, 1, 2}));
  });
  refuses<ShapeError>("cross_entropy: logits [.., V] need [..] got logits [] [1]",
                      [] { cross_entropy(leaf({}), ids({0})); });
  refuses<ShapeError>("cross_entropy: needs got logits [2, 0]", [] { cross_entropy(leaf({2, 0}), ids({-100, -100})); });
  refuses<IndexError>("cross_entropy: [0, 3) got -1 1", [] { cross_entropy(leaf({2, 3}), ids({0, -1})); });
  refuses<DTypeError>("cross_entropy: targets got f32 [2]", [] { cross_entropy(leaf({2, 3}), ones({2})); });
  refuses<DTypeError>("cross_entropy: got i64", [] { cross_entropy(Variable(wholes({2, 3})), ids({0, 1})); });
  refuses("cross_entropy: [0, 1) got 1", [] { cross_entropy(leaf({2, 3}), ids({0, 1}), {.label_smoothing = 1}); });
  refuses<ShapeError>("cross_entropy: weight [3] got [2]", [] {
    cross_entropy(leaf({2, 3}), ids({0, 1}), {.weight = ones({2})});
  });
  refuses<ShapeError>("cross_entropy: distributions got [2, 3] [2, 2]", [] {
    cross_entropy(leaf({2, 3}), ones({2, 2}));
  });
  refuses<ShapeError>("cross_entropy: logits [.., V] need [..] got logits [2, 3] [3]", [] {
    cross_entropy_composed(leaf({2, 3}), ids({0, 1, 2}));
  });
}

TEST_CASE("autograd: gradcheck") {
  auto same = [](const std::vector<Variable>& in) { return in[0]; };
  refuses<DTypeError>("gradcheck: got f32 [2]", [&] { gradcheck(same, {ones({2})}); });
  refuses("gradcheck: 0 tolerance 0 got 0 1e-06 4", [&] { gradcheck(same, {ones({2}, DType::f64)}, {.step = 0}); });
  refuses("gradcheck: 0 tolerance 0 got 6e-06 1e-06 0",
          [&] { gradcheck(same, {ones({2}, DType::f64)}, {.directions_per_input = 0}); });
  refuses("gradcheck: value got", [] {
    int runs = 0;
    gradcheck([&](const std::vector<Variable>& in) { return in[0] * ++runs; }, {ones({2}, DType::f64)});
  });
  refuses<ShapeError>("gradcheck: got 1 2", [&] {
    gradcheck(same, {ones({2}, DType::f64)}, {.surrogate = [](const auto& in) { return sum(in[0]); }});
  });
  refuses<GraphError>("value: variable got", [] {
    gradcheck([](const std::vector<Variable>&) { return Variable(); }, {ones({2}, DType::f64)});
  });
}
