// Optimisers: what is left alone, what a saved state brings back, what is refused.
#include "nn/optim/optimizer.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "nn/layers.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::named_parameters;

namespace {

using Make = std::unique_ptr<nn::Optimizer> (*)(const std::vector<NamedVariable>&);
const std::vector<Make> kAll = {
    [](const std::vector<NamedVariable>& p) -> std::unique_ptr<nn::Optimizer> {
      return std::make_unique<nn::SGD>(p, nn::SGD::Options{.learning_rate = 0.1});
    },
    [](const std::vector<NamedVariable>& p) -> std::unique_ptr<nn::Optimizer> {
      return std::make_unique<nn::SGD>(p, nn::SGD::Options{.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.5});
    },
    [](const std::vector<NamedVariable>& p) -> std::unique_ptr<nn::Optimizer> {
      return std::make_unique<nn::Adam>(p, nn::Adam::Options{.learning_rate = 0.1});
    },
    [](const std::vector<NamedVariable>& p) -> std::unique_ptr<nn::Optimizer> {
      return std::make_unique<nn::Adam>(p,
                                        nn::Adam::Options{.learning_rate = 0.1, .weight_decay = 0.1, .amsgrad = true});
    },
};

std::vector<NamedVariable> two(uint64_t seed) { return {{"a", leaf({3, 4}, seed)}, {"b", leaf({5}, seed + 1)}}; }

void give(std::vector<NamedVariable>& parameters, uint64_t seed) {
  for (auto& p : parameters) p.variable.set_grad(random(p.variable.shape(), ++seed, p.variable.dtype()));
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("optimisers leave parameters without a gradient alone, weight decay or not") {
    for (Make make : kAll) {
      auto parameters = two(1);
      auto optimizer = make(parameters);
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
    for (Make make : kAll) {
      auto late = two(1), fresh = two(1);
      auto optimizer = make(late), reference = make(fresh);
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

  TEST_CASE("optimisers resume from a saved state to the bit, through a file") {
    for (Make make : kAll) {
      auto through = two(1), before = two(1);
      auto a = make(through), b = make(before);
      for (uint64_t step = 0; step < 5; ++step) {
        give(through, 10 * step);
        if (step == 1) through[1].variable.zero_grad();  // missed a step
        a->step();
      }
      std::string path = (std::filesystem::temp_directory_path() / fmt::format("heed-optimizer-{}", getpid())).string();
      io::save_safetensors(path, a->save_state());
      io::SafeTensors in_memory = a->save_state();
      std::vector<NamedVariable> resumed, again;
      for (auto& p : through) {
        resumed.push_back({p.name, leaf(p.variable.value())});
        again.push_back({p.name, leaf(p.variable.value())});
      }
      auto c = make(resumed), d = make(again);
      c->load_state(io::load_safetensors(path), path);
      std::filesystem::remove(path);
      CHECK(c->steps() == 5);
      for (uint64_t step = 5; step < 9; ++step) {
        give(through, 10 * step);
        give(resumed, 10 * step);
        a->step();
        c->step();
      }
      d->load_state(in_memory, "memory");  // a snapshot: training on has not changed it
      for (uint64_t step = 5; step < 9; ++step) {
        give(again, 10 * step);
        d->step();
      }
      for (size_t i = 0; i < 2; ++i) {
        CHECK(bit_equal(through[i].variable.value(), resumed[i].variable.value()));
        CHECK(bit_equal(through[i].variable.value(), again[i].variable.value()));
      }
    }
  }

  TEST_CASE("optimisers refuse a state that is not theirs, and stay as they were") {
    auto parameters = two(1);
    nn::Adam adam(parameters, {.learning_rate = 0.1}), ams(parameters, {.learning_rate = 0.1, .amsgrad = true});
    nn::SGD momentum(parameters, {.learning_rate = 0.1, .momentum = 0.9}), plain(parameters, {.learning_rate = 0.1});
    give(parameters, 1);
    adam.step();
    momentum.step();
    io::SafeTensors good = adam.save_state();
    auto refusal = [&](nn::Optimizer& into, auto change) {
      io::SafeTensors file = adam.save_state();
      change(file);
      int64_t steps = into.steps();
      std::string said = message_of<IoError>([&] { into.load_state(file, "o.safetensors"); });
      CHECK(into.steps() == steps);
      return said;
    };
    auto same = [](io::SafeTensors&) {};
    CHECK(refusal(adam, same) == "no error");
    for (std::string steps : {"", "-1", "1e3", "9999999999999999999"})
      CHECK(refusal(adam, [&](io::SafeTensors& f) { f.metadata["steps"] = steps; }) ==
            "load: \"o.safetensors\": holds no optimiser state (no number of steps)");
    CHECK(refusal(adam, [](io::SafeTensors& f) { f.metadata.clear(); }) ==
          "load: \"o.safetensors\": holds no optimiser state (no number of steps)");
    CHECK(refusal(adam, [](io::SafeTensors& f) {
            for (auto& [name, t] : f.tensors)
              if (name == "square.a") t = Tensor::zeros({4, 3});
          }) == "load: \"o.safetensors\": square.a must have the parameter's shape; got [4, 3] for [3, 4]");
    // Half of a parameter's averages, or those of another optimiser.
    CHECK(refusal(adam, [](io::SafeTensors& f) {
            std::erase_if(f.tensors, [](const auto& t) { return t.first == "mean.a"; });
          }) == "load: \"o.safetensors\": the tensor mean.a is missing; hint: was it saved by another optimiser?");
    CHECK(refusal(ams, same) ==
          "load: \"o.safetensors\": the tensor largest.a is missing; hint: was it saved by another optimiser?");
    CHECK(refusal(momentum, same) ==
          "load: \"o.safetensors\": the tensor momentum.a is missing; hint: was it saved by another optimiser?");
    CHECK(refusal(plain, same) == "load: \"o.safetensors\": the tensor mean.a does not belong to this optimiser");
    CHECK(refusal(adam, [](io::SafeTensors& f) { f.metadata.emplace("steps.b", "2"); }) ==
          "load: \"o.safetensors\": steps.b must be a number of at most 1");
    CHECK(refusal(adam, [](io::SafeTensors& f) { f.tensors.emplace_back("mean.c", Tensor::zeros({1})); }) ==
          "load: \"o.safetensors\": the tensor mean.c does not belong to this optimiser");
  }

  TEST_CASE("a schedule may set the learning rate between steps") {
    std::vector<NamedVariable> w{{"w", leaf(Tensor::zeros({1}))}};
    nn::SGD sgd(w, {.learning_rate = 1});
    double expected = 0;
    for (double rate : {1.0, 0.5, 0.25}) {
      sgd.learning_rate = rate;
      w[0].variable.set_grad(Tensor::ones({1}));
      sgd.step();
      expected -= rate;
      CHECK(w[0].variable.item() == expected);
    }
  }

  TEST_CASE("a step raises the version: a graph that saved the old value says so") {
    std::vector<NamedVariable> w{{"w", leaf(Tensor::ones({2}))}};
    nn::SGD sgd(w, {.learning_rate = 1});
    Variable y = sum(square(w[0].variable));
    w[0].variable.set_grad(Tensor::ones({2}));
    sgd.step();
    CHECK(message_of<GraphError>([&] { backward(y); }).find("overwritten by optimizer step") != std::string::npos);
  }

  TEST_CASE("options outside their domain are refused in one sentence") {
    auto p = two(1);
    for (double rate : {0.0, -1.0, std::nan(""), HUGE_VAL})
      CHECK(message_of<ValueError>([&] {
              nn::SGD(p, {.learning_rate = rate});
            }).find("optimizer: the learning rate must be positive; got ") == 0);
    CHECK(message_of<ValueError>([&] { nn::SGD(p, {.nesterov = true}); }) ==
          "SGD: Nesterov needs momentum above 0 and no dampening");
    CHECK(message_of<ValueError>([&] { nn::SGD(p, {.momentum = 0.9, .dampening = 0.1, .nesterov = true}); }) ==
          "SGD: Nesterov needs momentum above 0 and no dampening");
    CHECK(message_of<ValueError>([&] { nn::Adam(p, {.beta1 = 1}); }) ==
          "Adam: betas must lie in [0, 1) and epsilon be at least 0; got 1, 0.999 and 1e-08");
    CHECK(message_of<ValueError>([&] { nn::Adam(p, {.epsilon = -1}); }) ==
          "Adam: betas must lie in [0, 1) and epsilon be at least 0; got 0.9, 0.999 and -1");
    CHECK(message_of<ValueError>([&] { nn::clip_grad_norm(p, 0); }) ==
          "clip_grad_norm: the limit must be positive; got 0");
  }

  TEST_CASE("clip_grad_norm scales all gradients together and returns the norm before") {
    std::vector<NamedVariable> p{{"a", leaf(Tensor::zeros({2}))}, {"b", leaf(Tensor::zeros({1}))}, {"c", leaf({1}, 1)}};
    p[0].variable.set_grad(Tensor::from(std::vector<float>{2, 3}, {2}));
    p[1].variable.set_grad(Tensor::from(std::vector<float>{6}, {1}));  // c has none
    CHECK(nn::clip_grad_norm(p, 100) == 7);
    CHECK(p[1].variable.grad().item() == 6);
    CHECK(nn::clip_grad_norm(p, 0.7) == 7);
    CHECK(p[0].variable.grad().to_vector()[1] == doctest::Approx(0.3));
    CHECK(p[1].variable.grad().item() == doctest::Approx(0.6));
    CHECK(nn::clip_grad_norm(p, 100) == doctest::Approx(0.7));
    CHECK_FALSE(p[2].variable.grad().defined());
  }

  TEST_CASE("clip_grad_norm: gradients that share an upstream value are scaled once each") {
    std::vector<NamedVariable> p{{"a", leaf(Tensor::zeros({4}))}, {"b", leaf(Tensor::zeros({4}))}};
    backward(sum(p[0].variable + p[1].variable), {});
    nn::clip_grad_norm(p, std::sqrt(8.0) / 2);
    for (auto& v : p) CHECK(v.variable.grad().at({0}) == doctest::Approx(0.5).epsilon(1e-5));
  }

  TEST_CASE("Adam: the first step is the learning rate, whatever the size of the gradient") {
    for (double size : {1e-3, 1.0, 1e6}) {
      std::vector<NamedVariable> w{{"w", leaf(Tensor::zeros({1}, DType::f64))}};
      nn::Adam adam(w, {.learning_rate = 0.01, .epsilon = 0});
      w[0].variable.set_grad(Tensor::full({1}, size, DType::f64));
      adam.step();
      CHECK(w[0].variable.item() == doctest::Approx(-0.01));
    }
  }
}
