// What optimisers, clipping and schedules refuse.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/adadelta.h"
#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/average.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/one_cycle.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "nn/optim/warmup.h"
#include "nn/optim/window_average.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("nn: optimisers and clipping") {
  using Parameters = std::vector<NamedVariable>;
  const Parameters one = {{"w", leaf({2})}};
  refuses("Adam: needs got", [] { nn::Adam({}, {}); });
  refuses("Adam: defined got w", [] { nn::Adam({{"w", Variable()}}, {}); });
  refuses("Adam: leaf got w", [] { nn::Adam({{"w", leaf({2}) * 2}}, {}); });
  refuses("Adam: got w v", [&] { nn::Adam({one[0], {"v", one[0].variable}}, {}); });
  refuses("Adam: parameters got w", [] { nn::Adam({{"w", leaf({2})}, {"w", leaf({2})}}, {}); });
  refuses("AdamW: weight_decay lie [0, inf) got -1", [&] { nn::AdamW(one, {.weight_decay = -1}); });
  refuses("Adam: step 0 got -1", [&] {
    nn::Adam adam(one, {});
    adam.learning_rate = -1;
    adam.step();
  });
  refuses("Adam: contiguous got w [3, 2] [1, 3]", [] {
    Parameters turned = {{"w", Variable(matrix().transpose(0, 1), Variable::kRequiresGrad)}};
    nn::Adam adam(turned, {});
    turned[0].variable.set_grad(ones({3, 2}));
    adam.step();
  });
  refuses("SGD: Nesterov 0 got 0 0", [&] { nn::SGD(one, {.nesterov = true}); });
  refuses<ShapeError>("ParameterAverage: w got [3] [2]", [] {
    Variable w = leaf({2});
    nn::ParameterAverage average({{"w", w}}, {});
    w.set_value(Tensor::zeros({3}, w.dtype()));
    average.update();
  });
  refuses("ParameterAverage: defined got w", [] { nn::ParameterAverage({{"w", Variable()}}, {}); });
  refuses("ParameterAverage: leaf got w", [] { nn::ParameterAverage({{"w", leaf({2}) * 2}}, {}); });
  refuses("ParameterAverage: given got w", [&] { nn::ParameterAverage({one[0], one[0]}, {}); });
  auto while_swapped = [&](auto call) {
    nn::ParameterAverage average(one, {});
    auto scope = average.swap_in();
    call(average);
  };
  refuses<GraphError>("ParameterAverage: update got", [&] { while_swapped([](auto& a) { a.update(); }); });
  refuses<GraphError>("ParameterAverage: swap_in got",
                      [&] { while_swapped([](auto& a) { auto second = a.swap_in(); }); });
  refuses<GraphError>("ParameterAverage: save_state got", [&] { while_swapped([](auto& a) { a.save_state(); }); });
  refuses<GraphError>("ParameterAverage: load_state got",
                      [&] { while_swapped([](auto& a) { a.load_state({}, "e"); }); });
  refuses<GraphError>("WindowAverage: add got", [&] {
    nn::WindowAverage window(one, {});
    auto scope = window.swap_in();
    window.add();
  });
  // Two averages of one model: scopes that overlap would exchange their values, in whatever order they end.
  refuses<GraphError>("WindowAverage: swap_in got", [&] {
    nn::WindowAverage window(one, {});
    while_swapped([&](auto&) { auto second = window.swap_in(); });
  });
  refuses<GraphError>("ParameterAverage: update got", [&] {
    nn::ParameterAverage other(one, {});
    while_swapped([&](auto&) { other.update(); });
  });
  while_swapped([](auto&) {});  // a scope that has ended holds nothing
  auto window = [&](const std::function<void(io::SafeTensors&)>& edit) {
    nn::WindowAverage full(one, {.size = 2});
    full.add();
    io::SafeTensors state = full.save_state();
    edit(state);
    full.load_state(state, "w");
  };
  refuses<IoError>("load: w parameters", [&] { window([](auto& s) { s.metadata.erase("average"); }); });
  refuses<IoError>("load: w size 2 got 3", [&] { window([](auto& s) { s.metadata["size"] = "3"; }); });
  refuses<IoError>("load: w 0 2 copies got 3", [&] { window([](auto& s) { s.metadata["seen"] = "3"; }); });
  refuses<IoError>("load: w 1.w missing", [&] { window([](auto& s) { s.metadata["seen"] = "2"; }); });
  refuses<IoError>("load: w 0.w f32 [2] got f32 [3]",
                   [&] { window([](auto& s) { s.tensors[0].second = ones({3}); }); });
  refuses<IoError>("load: w 1 tensors got 2",
                   [&] { window([](auto& s) { s.tensors.emplace_back("more", ones({1})); }); });
  refuses("clip_grad_norm: limit got 0", [&] { nn::clip_grad_norm(one, 0); });
  refuses("clip_grad_norm: 2 infinity got 3", [&] { nn::clip_grad_norm(one, 1, {.p = 3}); });
  refuses("clip_grad_value: limit got -1", [&] { nn::clip_grad_value(one, -1); });
  refuses("clip_grad_norm: got nan w [2]", [] {
    Parameters p = {{"w", leaf({2})}};
    p[0].variable.set_grad(Tensor::full({2}, kNan));
    nn::clip_grad_norm(p, 1);
  });
}

TEST_CASE("nn: schedules") {
  refuses("MultiStepDecay: milestones rise got 3 3", [] { nn::MultiStepDecay({.milestones = {3, 3}}); });
  refuses("WarmupLinear: total warm-up got 4 5", [] { nn::WarmupLinear({.warmup = 5, .total = 4}); });
  refuses("WarmupCosine: total warm-up got 4 5", [] { nn::WarmupCosine({.warmup = 5, .total = 4}); });
  refuses("OneCycle: rise three half got 0.6", [] { nn::OneCycle({.total = 9, .rise = 0.6, .three_phase = true}); });
}
