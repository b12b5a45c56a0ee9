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
    refuses<ValueError>("Adam: needs at least one parameter; got none", [] { nn::Adam({}, {}); });
    refuses<ValueError>("Adam: a parameter must be defined; got w undefined", [] {
      nn::Adam({{"w", Variable()}}, {});
    });
    refuses<ValueError>("Adam: a parameter must be a leaf; got w, which an operation made", [] {
      nn::Adam({{"w", leaf({2}) * 2}}, {});
    });
    refuses<ValueError>("Adam: each parameter must be given once; got w and v, which are one", [&] {
      nn::Adam({one[0], {"v", one[0].variable}}, {});
    });
    refuses<ValueError>("Adam: parameters must have different names; got two called w", [] {
      nn::Adam({{"w", leaf({2})}, {"w", leaf({2})}}, {});
    });
    refuses<ValueError>("Adam: the learning rate must be positive; got 0",
                        [&] { nn::Adam(one, {.learning_rate = 0}); });
    refuses<ValueError>("Adam: the learning rate must be positive; got nan",
                        [&] { nn::Adam(one, {.learning_rate = kNan}); });
    refuses<ValueError>("Adam: beta1 must lie in [0, 1); got 1", [&] { nn::Adam(one, {.beta1 = 1}); });
    refuses<ValueError>("Adam: beta2 must lie in [0, 1); got -0.1", [&] { nn::Adam(one, {.beta2 = -0.1}); });
    refuses<ValueError>("Adam: the epsilon must be at least 0; got -1", [&] { nn::Adam(one, {.epsilon = -1}); });
    refuses<ValueError>("Adam: the weight decay must be at least 0; got inf",
                        [&] { nn::Adam(one, {.weight_decay = kInf}); });
    refuses<ValueError>("AdamW: the weight decay must be at least 0; got -1",
                        [&] { nn::AdamW(one, {.weight_decay = -1}); });
    refuses<ValueError>("Adam: the learning rate of a step must be at least 0; got -1", [&] {
      nn::Adam adam(one, {});
      adam.learning_rate = -1;
      adam.step();
    });
    refuses<ValueError>("Adam: a parameter must be contiguous; got w [3, 2] with strides [1, 3]", [] {
      Parameters turned = {{"w", Variable(matrix().transpose(0, 1), Variable::kRequiresGrad)}};
      nn::Adam adam(turned, {});
      turned[0].variable.set_grad(ones({3, 2}));
      adam.step();
    });
    refuses<ValueError>("SGD: the momentum must be at least 0; got -1", [&] { nn::SGD(one, {.momentum = -1}); });
    refuses<ValueError>("SGD: the weight decay must be at least 0; got -1",
                        [&] { nn::SGD(one, {.weight_decay = -1}); });
    refuses<ValueError>("SGD: the dampening must lie in [0, 1); got 1", [&] { nn::SGD(one, {.dampening = 1}); });
    refuses<ValueError>("SGD: Nesterov needs momentum above 0 and no dampening; got momentum 0 and dampening 0",
                        [&] { nn::SGD(one, {.nesterov = true}); });
    refuses<ValueError>("RMSprop: alpha must lie in [0, 1); got 1", [&] { nn::RMSprop(one, {.alpha = 1}); });
    refuses<ValueError>("RMSprop: the epsilon must be at least 0; got -1", [&] { nn::RMSprop(one, {.epsilon = -1}); });
    refuses<ValueError>("RMSprop: the momentum must be at least 0; got -1",
                        [&] { nn::RMSprop(one, {.momentum = -1}); });
    refuses<ValueError>("RMSprop: the weight decay must be at least 0; got -1",
                        [&] { nn::RMSprop(one, {.weight_decay = -1}); });
    refuses<ValueError>("Adagrad: the decay of the learning rate must be at least 0; got -1",
                        [&] { nn::Adagrad(one, {.lr_decay = -1}); });
    refuses<ValueError>("Adagrad: the weight decay must be at least 0; got -1",
                        [&] { nn::Adagrad(one, {.weight_decay = -1}); });
    refuses<ValueError>("Adagrad: the initial sum must be at least 0; got -1",
                        [&] { nn::Adagrad(one, {.initial_sum = -1}); });
    refuses<ValueError>("Adagrad: the epsilon must be at least 0; got -1", [&] { nn::Adagrad(one, {.epsilon = -1}); });
    refuses<ValueError>("Adadelta: rho must lie in [0, 1); got 1", [&] { nn::Adadelta(one, {.rho = 1}); });
    refuses<ValueError>("Adadelta: the epsilon must be positive; got 0", [&] { nn::Adadelta(one, {.epsilon = 0}); });
    refuses<ValueError>("Adadelta: the weight decay must be at least 0; got -1",
                        [&] { nn::Adadelta(one, {.weight_decay = -1}); });
    refuses<ValueError>("ParameterAverage: the decay must lie in [0, 1); got 1",
                        [&] { nn::ParameterAverage(one, {.decay = 1}); });
    refuses<ShapeError>("ParameterAverage: w must keep its shape; got [3], averaged as [2]", [] {
      Variable w = leaf({2});
      nn::ParameterAverage average({{"w", w}}, {});
      w.set_value(Tensor::zeros({3}, w.dtype()));
      average.update();
    });
    refuses<ValueError>("ParameterAverage: a parameter must be defined; got w undefined", [] {
      nn::ParameterAverage({{"w", Variable()}}, {});
    });
    refuses<ValueError>("ParameterAverage: a parameter must be a leaf; got w, which an operation made", [] {
      nn::ParameterAverage({{"w", leaf({2}) * 2}}, {});
    });
    refuses<ValueError>("ParameterAverage: each parameter must be given once; got w again", [&] {
      nn::ParameterAverage({one[0], one[0]}, {});
    });
    auto while_swapped = [&](auto call) {
      nn::ParameterAverage average(one, {});
      auto scope = average.swap_in();
      call(average);
    };
    refuses<GraphError>(
        "ParameterAverage: update needs the trained parameters; got a model that holds their averages; hint: end the "
        "scope of swap_in first",
        [&] { while_swapped([](auto& a) { a.update(); }); });
    refuses<GraphError>(
        "ParameterAverage: swap_in needs the trained parameters; got a model that holds their averages; hint: end the "
        "scope of swap_in first",
        [&] { while_swapped([](auto& a) { auto second = a.swap_in(); }); });
    refuses<GraphError>(
        "ParameterAverage: save_state needs the trained parameters; got a model that holds their averages; hint: end "
        "the scope of swap_in first",
        [&] { while_swapped([](auto& a) { a.save_state(); }); });
    refuses<GraphError>(
        "ParameterAverage: load_state needs the trained parameters; got a model that holds their averages; hint: end "
        "the scope of swap_in first",
        [&] { while_swapped([](auto& a) { a.load_state({}, "e"); }); });
    refuses<ValueError>("WindowAverage: the size must be at least 1; got 0",
                        [&] { nn::WindowAverage(one, {.size = 0}); });
    refuses<GraphError>(
        "WindowAverage: add needs the trained parameters; got a model that holds their averages; hint: end the scope "
        "of "
        "swap_in first",
        [&] {
          nn::WindowAverage window(one, {});
          auto scope = window.swap_in();
          window.add();
        });
    // Two averages of one model: scopes that overlap would exchange their values, in whatever order they end.
    refuses<GraphError>(
        "WindowAverage: swap_in needs the trained parameters; got a model that holds their averages; hint: end the "
        "scope "
        "of swap_in first",
        [&] {
          nn::WindowAverage window(one, {});
          while_swapped([&](auto&) { auto second = window.swap_in(); });
        });
    refuses<GraphError>(
        "ParameterAverage: update needs the trained parameters; got a model that holds their averages; hint: end the "
        "scope of swap_in first",
        [&] {
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
    refuses<IoError>("load: \"w\": holds no window of parameters",
                     [&] { window([](auto& s) { s.metadata.erase("average"); }); });
    refuses<IoError>("load: \"w\": the window must have the size 2; got \"3\"",
                     [&] { window([](auto& s) { s.metadata["size"] = "3"; }); });
    refuses<IoError>("load: \"w\": the window must hold 0 to 2 copies; got 3",
                     [&] { window([](auto& s) { s.metadata["seen"] = "3"; }); });
    refuses<IoError>("load: \"w\": the tensor 1.w is missing",
                     [&] { window([](auto& s) { s.metadata["seen"] = "2"; }); });
    refuses<IoError>("load: \"w\": 0.w must be f32 [2]; got f32 [3]",
                     [&] { window([](auto& s) { s.tensors[0].second = ones({3}); }); });
    refuses<IoError>("load: \"w\": the window must have 1 tensors; got 2",
                     [&] { window([](auto& s) { s.tensors.emplace_back("more", ones({1})); }); });
    refuses<ValueError>("clip_grad_norm: the limit must be positive; got 0", [&] { nn::clip_grad_norm(one, 0); });
    refuses<ValueError>("clip_grad_norm: p must be 2 or infinity; got 3",
                        [&] { nn::clip_grad_norm(one, 1, {.p = 3}); });
    refuses<ValueError>("clip_grad_value: the limit must be positive; got -1", [&] { nn::clip_grad_value(one, -1); });
    refuses<ValueError>("clip_grad_norm: gradients must be finite; got nan in the gradient of w [2]", [] {
      Parameters p = {{"w", leaf({2})}};
      p[0].variable.set_grad(Tensor::full({2}, kNan));
      nn::clip_grad_norm(p, 1);
    });
  }

  TEST_CASE("nn: schedules") {
    refuses<ValueError>("ConstantRate: the peak must be positive; got 0", [] { nn::ConstantRate({.peak = 0}); });
    refuses<ValueError>("StepDecay: the number of steps between falls must be at least 1; got 0",
                        [] { nn::StepDecay({.every = 0}); });
    refuses<ValueError>("StepDecay: the factor must be positive; got 0", [] { nn::StepDecay({.factor = 0}); });
    refuses<ValueError>("MultiStepDecay: milestones must be positive and rise; got 3, 3", [] {
      nn::MultiStepDecay({.milestones = {3, 3}});
    });
    refuses<ValueError>("ExponentialDecay: the factor must be positive; got -1",
                        [] { nn::ExponentialDecay({.factor = -1}); });
    refuses<ValueError>("WarmupLinear: the start must be at least 0; got -1", [] { nn::WarmupLinear({.start = -1}); });
    refuses<ValueError>("WarmupLinear: the floor must be at least 0; got -1", [] { nn::WarmupLinear({.floor = -1}); });
    refuses<ValueError>("WarmupLinear: the total must be at least 1 and at least the warm-up; got 4 for a warm-up of 5",
                        [] { nn::WarmupLinear({.warmup = 5, .total = 4}); });
    refuses<ValueError>("Noam: the width must be at least 1; got 0", [] { nn::Noam({.width = 0}); });
    refuses<ValueError>("Noam: the warm-up must be at least 1; got 0", [] { nn::Noam({.warmup = 0}); });
    refuses<ValueError>("Noam: the scale must be positive; got 0", [] { nn::Noam({.scale = 0}); });
    refuses<ValueError>("InverseSquareRoot: the warm-up must be at least 1; got 0",
                        [] { nn::InverseSquareRoot({.warmup = 0}); });
    refuses<ValueError>("WarmupCosine: the warm-up must be at least 0; got -1",
                        [] { nn::WarmupCosine({.warmup = -1}); });
    refuses<ValueError>("WarmupCosine: the total must be at least 1; got 0", [] { nn::WarmupCosine({.total = 0}); });
    refuses<ValueError>("WarmupCosine: the total must be at least 5; got 4",
                        [] { nn::WarmupCosine({.warmup = 5, .total = 4}); });
    refuses<ValueError>("CosineDecay: the period must be at least 1; got 0", [] { nn::CosineDecay({.period = 0}); });
    refuses<ValueError>("CosineRestarts: the growth must be at least 1; got 0",
                        [] { nn::CosineRestarts({.period = 1, .growth = 0}); });
    refuses<ValueError>("OneCycle: the total must be at least 2; got 1", [] { nn::OneCycle({.total = 1}); });
    refuses<ValueError>("OneCycle: the share of the rise must lie in [0, 1]; got 2",
                        [] { nn::OneCycle({.total = 9, .rise = 2}); });
    refuses<ValueError>("OneCycle: the divisor of the start must be positive; got 0",
                        [] { nn::OneCycle({.total = 9, .start_divisor = 0}); });
    refuses<ValueError>("OneCycle: the divisor of the end must be positive; got 0",
                        [] { nn::OneCycle({.total = 9, .end_divisor = 0}); });
    refuses<ValueError>("ReduceOnPlateau: the factor must lie in (0, 1); got 1",
                        [] { nn::ReduceOnPlateau({.factor = 1}); });
    refuses<ValueError>("ReduceOnPlateau: the patience must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.patience = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the cooldown must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.cooldown = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the threshold must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.threshold = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the least change must be at least 0; got -1",
                        [] { nn::ReduceOnPlateau({.least_change = -1}); });
    refuses<ValueError>("ReduceOnPlateau: the peak must be positive; got -1",
                        [] { nn::ReduceOnPlateau({.peak = -1}); });
  }
}
