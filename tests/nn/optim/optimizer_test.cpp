// Optimisers: what is left alone, groups, what is refused.
#include "nn/optim/optimizer.h"

#include <cmath>

#include "nn/layers.h"
#include "nn/optim/decay.h"
#include "tests/nn/optim/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

TEST_CASE("optimisers leave parameters without a gradient alone, weight decay or not") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.name);
    auto parameters = two(1);
    auto optimizer = kind.make(parameters);
    Tensor a = parameters[0].variable.value().clone(), b = parameters[1].variable.value().clone();
    parameters[0].variable.set_grad(random({3, 4}, 9));
    optimizer->step();
    CHECK_FALSE(bit_equal(parameters[0].variable.value(), a));
    CHECK(bit_equal(parameters[1].variable.value(), b));
    CHECK(optimizer->steps() == 1);
    optimizer->zero_grad();
    a = parameters[0].variable.value().clone();
    optimizer->step();
    CHECK(bit_equal(parameters[0].variable.value(), a));
  }
}

TEST_CASE("optimisers count the steps of each parameter: one that comes late starts as the others did") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.name);
    auto late = two(1), fresh = two(1);
    auto optimizer = kind.make(late), reference = kind.make(fresh);
    for (int step = 0; step < 4; ++step) {
      late[0].variable.set_grad(random({3, 4}, 9));
      optimizer->step();
    }
    for (int step = 0; step < 3; ++step) {
      give(late, 20);
      give(fresh, 20);
      optimizer->step();
      reference->step();
      CHECK(bit_equal(late[1].variable.value(), fresh[1].variable.value()));
    }
  }
}

TEST_CASE("optimisers: strided gradients count as what they show") {
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.name);
    Parameters a{{"w", leaf({3, 4}, 1)}}, b = copies(a);
    Tensor g = random({4, 3}, 2);
    auto x = kind.make(a), y = kind.make(b);
    a[0].variable.set_grad(g.transpose(0, 1));
    b[0].variable.set_grad(g.transpose(0, 1).contiguous());
    x->step();
    y->step();
    CHECK(same_values(a, b));
  }
}

TEST_CASE("groups: each has its own options, and gives what an optimiser of its own would") {
  auto together = two(1), apart = copies(together);
  nn::AdamW both({{{together[0]}, {.learning_rate = 0.1, .beta1 = 0.8, .weight_decay = 0.1}},
                  {{together[1]}, {.learning_rate = 0.01, .weight_decay = 0, .amsgrad = true}}});
  nn::AdamW first({apart[0]}, {.learning_rate = 0.1, .beta1 = 0.8, .weight_decay = 0.1});
  nn::AdamW second({apart[1]}, {.learning_rate = 0.01, .weight_decay = 0, .amsgrad = true});
  CHECK(both.learning_rate == 0.1);
  for (uint64_t t = 0; t < 6; ++t) {
    if (t == 3) {  // halved for all: the groups keep their ratio
      both.learning_rate = 0.05;
      first.learning_rate = 0.05;
      second.learning_rate = 0.005;
    }
    give(together, t);
    give(apart, t);
    both.step();
    first.step();
    second.step();
    CHECK(bit_equal(together[0].variable.value(), apart[0].variable.value()));
    CHECK(relative_error(together[1].variable.value(), apart[1].variable.value()) < 1e-6);
  }
}

TEST_CASE("split_parameters: matrices decay, biases and norms do not") {
  Generator rng(1);
  nn::Linear linear({.in = 3, .out = 2}, rng);
  auto [decayed, others] = nn::split_parameters(nn::named_parameters(linear), nn::is_matrix);
  REQUIRE(decayed.size() == 1);
  REQUIRE(others.size() == 1);
  CHECK(decayed[0].name == "weight");
  CHECK(others[0].name == "bias");
  nn::SGD sgd({{decayed, {.learning_rate = 0.5, .weight_decay = 0.5}}, {others, {.learning_rate = 0.5}}});
  Tensor weight = linear.weight.value().clone(), bias = linear.bias.value().clone();
  linear.weight.set_grad(Tensor::zeros(weight.shape()));
  linear.bias.set_grad(Tensor::zeros(bias.shape()));
  sgd.step();
  CHECK(bit_equal(linear.weight.value(), mul(weight, 0.75)));
  CHECK(bit_equal(linear.bias.value(), bias));
}

TEST_CASE("a schedule may set the learning rate between steps, or the step may ask it") {
  Parameters w{{"w", leaf(Tensor::zeros({1}))}};
  nn::SGD sgd(w, {.learning_rate = 1});
  double expected = 0;
  for (double rate : {1.0, 0.5, 0.25}) {
    sgd.learning_rate = rate;
    w[0].variable.set_grad(Tensor::ones({1}));
    sgd.step();
    expected -= rate;
    CHECK(w[0].variable.item() == expected);
  }
  nn::StepDecay schedule({.peak = 4, .every = 4, .factor = 0.5});
  for (double rate : {4.0, 2.0}) {  // steps 4 and 5
    sgd.step(schedule);
    CHECK(sgd.learning_rate == rate);
    expected -= rate;
    CHECK(w[0].variable.item() == expected);
  }
}

TEST_CASE("a step raises the version: a graph that saved the old value says so") {
  Parameters w{{"w", leaf(Tensor::ones({2}))}};
  nn::SGD sgd(w, {.learning_rate = 1});
  Variable y = sum(square(w[0].variable));
  w[0].variable.set_grad(Tensor::ones({2}));
  sgd.step();
  CHECK(message_of<GraphError>([&] { backward(y); }).find("overwritten by optimizer step") != std::string::npos);
}

TEST_CASE("options outside their domain are refused in one sentence") {
  auto p = two(1);
  auto said = [&](auto make) { return message_of<ValueError>(make); };
  CHECK(said([&] {
          nn::SGD({{{p[0]}, {}}, {{p[1]}, {.learning_rate = -2}}});
        }) == "SGD: learning_rate must lie in (0, inf); got -2");
  nn::SGD sgd(p, {});
  for (double rate : {-1.0, std::nan(""), HUGE_VAL}) {
    sgd.learning_rate = rate;
    CHECK(said([&] { sgd.step(); }) ==
          "SGD: the learning rate of a step must be at least 0; got " + std::string(rate == -1         ? "-1"
                                                                                    : std::isnan(rate) ? "nan"
                                                                                                       : "inf"));
    CHECK(sgd.steps() == 0);
  }
}
