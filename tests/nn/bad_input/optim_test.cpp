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
#include "nn/optim/plateau.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "nn/optim/warmup.h"
#include "nn/optim/window_average.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("nn: optimisers and clipping") {
    using Parameters = std::vector<NamedVariable>;
    const Parameters one = {{"w", leaf({2})}};
    refuses("Adam: needs got", [] { nn::Adam({}, {}); });
    refuses("Adam: defined got w", [] { nn::Adam({{"w", Variable()}}, {}); });
    refuses("Adam: leaf got w", [] { nn::Adam({{"w", leaf({2}) * 2}}, {}); });
    refuses("Adam: got w v", [&] { nn::Adam({one[0], {"v", one[0].variable}}, {}); });
    refuses("Adam: parameters got w", [] { nn::Adam({{"w", leaf({2})}, {"w", leaf({2})}}, {}); });
    refuses("Adam: learning rate positive got 0", [&] { nn::Adam(one, {.learning_rate = 0}); });
    refuses("Adam: learning rate positive got nan", [&] { nn::Adam(one, {.learning_rate = kNan}); });
    refuses("Adam: beta1 [0, 1) got 1", [&] { nn::Adam(one, {.beta1 = 1}); });
    refuses("Adam: beta2 [0, 1) got -0.1", [&] { nn::Adam(one, {.beta2 = -0.1}); });
    refuses("Adam: epsilon 0 got -1", [&] { nn::Adam(one, {.epsilon = -1}); });
    refuses("Adam: weight decay 0 got inf", [&] { nn::Adam(one, {.weight_decay = kInf}); });
    refuses("AdamW: weight decay 0 got -1", [&] { nn::AdamW(one, {.weight_decay = -1}); });
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
    refuses("SGD: momentum least 0 got -1", [&] { nn::SGD(one, {.momentum = -1}); });
    refuses("SGD: weight decay 0 got -1", [&] { nn::SGD(one, {.weight_decay = -1}); });
    refuses("SGD: dampening lie [0, 1) got 1", [&] { nn::SGD(one, {.dampening = 1}); });
    refuses("SGD: Nesterov 0 got 0 0", [&] { nn::SGD(one, {.nesterov = true}); });
    refuses("RMSprop: alpha [0, 1) got 1", [&] { nn::RMSprop(one, {.alpha = 1}); });
    refuses("RMSprop: epsilon 0 got -1", [&] { nn::RMSprop(one, {.epsilon = -1}); });
    refuses("RMSprop: momentum 0 got -1", [&] { nn::RMSprop(one, {.momentum = -1}); });
    refuses("RMSprop: weight decay 0 got -1", [&] { nn::RMSprop(one, {.weight_decay = -1}); });
    refuses("Adagrad: 0 got -1", [&] { nn::Adagrad(one, {.lr_decay = -1}); });
    refuses("Adagrad: weight decay 0 got -1", [&] { nn::Adagrad(one, {.weight_decay = -1}); });
    refuses("Adagrad: initial sum 0 got -1", [&] { nn::Adagrad(one, {.initial_sum = -1}); });
    refuses("Adagrad: epsilon 0 got -1", [&] { nn::Adagrad(one, {.epsilon = -1}); });
    refuses("Adadelta: rho [0, 1) got 1", [&] { nn::Adadelta(one, {.rho = 1}); });
    refuses("Adadelta: epsilon got 0", [&] { nn::Adadelta(one, {.epsilon = 0}); });
    refuses("Adadelta: weight decay 0 got -1", [&] { nn::Adadelta(one, {.weight_decay = -1}); });
    refuses("ParameterAverage: decay [0, 1) got 1", [&] { nn::ParameterAverage(one, {.decay = 1}); });
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
    refuses("WindowAverage: size 1 got 0", [&] { nn::WindowAverage(one, {.size = 0}); });
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
    refuses("ConstantRate: peak got 0", [] { nn::ConstantRate({.peak = 0}); });
    refuses("StepDecay: least 1 got 0", [] { nn::StepDecay({.every = 0}); });
    refuses("StepDecay: factor got 0", [] { nn::StepDecay({.factor = 0}); });
    refuses("MultiStepDecay: got 3 3", [] { nn::MultiStepDecay({.milestones = {3, 3}}); });
    refuses("ExponentialDecay: factor got -1", [] { nn::ExponentialDecay({.factor = -1}); });
    refuses("WarmupLinear: start 0 got -1", [] { nn::WarmupLinear({.start = -1}); });
    refuses("WarmupLinear: floor 0 got -1", [] { nn::WarmupLinear({.floor = -1}); });
    refuses("WarmupLinear: 1 warm-up got 4 5", [] { nn::WarmupLinear({.warmup = 5, .total = 4}); });
    refuses("Noam: width 1 got 0", [] { nn::Noam({.width = 0}); });
    refuses("Noam: warm-up 1 got 0", [] { nn::Noam({.warmup = 0}); });
    refuses("Noam: scale got 0", [] { nn::Noam({.scale = 0}); });
    refuses("InverseSquareRoot: warm-up 1 got 0", [] { nn::InverseSquareRoot({.warmup = 0}); });
    refuses("WarmupCosine: warm-up 0 got -1", [] { nn::WarmupCosine({.warmup = -1}); });
    refuses("WarmupCosine: total 1 got 0", [] { nn::WarmupCosine({.total = 0}); });
    refuses("WarmupCosine: total 5 got 4", [] { nn::WarmupCosine({.warmup = 5, .total = 4}); });
    refuses("CosineDecay: period 1 got 0", [] { nn::CosineDecay({.period = 0}); });
    refuses("CosineRestarts: growth 1 got 0", [] { nn::CosineRestarts({.period = 1, .growth = 0}); });
    refuses("OneCycle: total 2 got 1", [] { nn::OneCycle({.total = 1}); });
    refuses("OneCycle: share [0, 1] got 2", [] { nn::OneCycle({.total = 9, .rise = 2}); });
    refuses("OneCycle: divisor start got 0", [] { nn::OneCycle({.total = 9, .start_divisor = 0}); });
    refuses("OneCycle: divisor end got 0", [] { nn::OneCycle({.total = 9, .end_divisor = 0}); });
    refuses("ReduceOnPlateau: factor (0, 1) got 1", [] { nn::ReduceOnPlateau({.factor = 1}); });
    refuses("ReduceOnPlateau: patience 0 got -1", [] { nn::ReduceOnPlateau({.patience = -1}); });
    refuses("ReduceOnPlateau: cooldown 0 got -1", [] { nn::ReduceOnPlateau({.cooldown = -1}); });
    refuses("ReduceOnPlateau: threshold 0 got -1", [] { nn::ReduceOnPlateau({.threshold = -1}); });
    refuses("ReduceOnPlateau: least change 0 got -1", [] { nn::ReduceOnPlateau({.least_change = -1}); });
    refuses("ReduceOnPlateau: peak got -1", [] { nn::ReduceOnPlateau({.peak = -1}); });
  }
}
