// Optimisers and clipping against PyTorch: twelve steps with given gradients, the parameters after each.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "nn/optim/adadelta.h"
#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

using Parameters = std::vector<NamedVariable>;

template <class Make>
void follows(const std::string& name, const Make& make) {
  in_both_precisions(name, [&](Golden& g, DType) {
    Parameters parameters;
    for (std::string p : {"w", "b"})
      parameters.push_back({p, Variable(g.tensor("param.initial." + p), Variable::kRequiresGrad)});
    auto optimizer = make(g, parameters);
    for (int step = 0; step < 12; ++step) {
      for (auto& [p, v] : parameters) v.set_grad(g.tensor(fmt::format("grad.step{:02}.{}", step, p)));
      optimizer.step();
      for (auto& [p, v] : parameters) g.compare(fmt::format("param.step{:02}.{}", step, p), v.value());
    }
    CHECK(optimizer.steps() == 12);
  });
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("SGD: momentum, dampening, Nesterov, weight decay") {
    for (std::string form : {"", "_momentum", "_momentum_dampening", "_nesterov", "_weight_decay", "_all"})
      follows("sgd" + form, [](const Golden& g, const Parameters& parameters) {
        return nn::SGD(parameters, {.learning_rate = g.number("lr"),
                                    .momentum = g.number("momentum"),
                                    .dampening = g.number("dampening"),
                                    .weight_decay = g.number("weight_decay"),
                                    .nesterov = g.flag("nesterov")});
      });
  }

  TEST_CASE("Adam: betas, epsilon, weight decay, AMSGrad") {
    for (std::string form : {"", "_betas", "_weight_decay", "_amsgrad"})
      follows("adam" + form, [](const Golden& g, const Parameters& parameters) {
        return nn::Adam(parameters, {.learning_rate = g.number("lr"),
                                     .beta1 = g.number("beta1"),
                                     .beta2 = g.number("beta2"),
                                     .epsilon = g.number("eps"),
                                     .weight_decay = g.number("weight_decay"),
                                     .amsgrad = g.flag("amsgrad")});
      });
  }

  TEST_CASE("AdamW: the decay on its own, AMSGrad") {
    for (std::string form : {"", "_nodecay", "_all"})
      follows("adamw" + form, [](const Golden& g, const Parameters& parameters) {
        return nn::AdamW(parameters, {.learning_rate = g.number("lr"),
                                      .beta1 = g.number("beta1"),
                                      .beta2 = g.number("beta2"),
                                      .epsilon = g.number("eps"),
                                      .weight_decay = g.number("weight_decay"),
                                      .amsgrad = g.flag("amsgrad")});
      });
  }

  TEST_CASE("RMSprop: centered, momentum, weight decay") {
    for (std::string form : {"", "_centered", "_momentum", "_all"})
      follows("rmsprop" + form, [](const Golden& g, const Parameters& parameters) {
        return nn::RMSprop(parameters, {.learning_rate = g.number("lr"),
                                        .alpha = g.number("alpha"),
                                        .epsilon = g.number("eps"),
                                        .momentum = g.number("momentum"),
                                        .weight_decay = g.number("weight_decay"),
                                        .centered = g.flag("centered")});
      });
  }

  TEST_CASE("Adagrad: decay of the rate, the sum it starts from") {
    for (std::string form : {"", "_all"})
      follows("adagrad" + form, [](const Golden& g, const Parameters& parameters) {
        return nn::Adagrad(parameters, {.learning_rate = g.number("lr"),
                                        .lr_decay = g.number("lr_decay"),
                                        .weight_decay = g.number("weight_decay"),
                                        .initial_sum = g.number("initial_accumulator_value"),
                                        .epsilon = g.number("eps")});
      });
  }

  TEST_CASE("Adadelta") {
    for (std::string form : {"", "_all"})
      follows("adadelta" + form, [](const Golden& g, const Parameters& parameters) {
        return nn::Adadelta(parameters, {.learning_rate = g.number("lr"),
                                         .rho = g.number("rho"),
                                         .epsilon = g.number("eps"),
                                         .weight_decay = g.number("weight_decay")});
      });
  }

  TEST_CASE("clip_grad_norm above and below the limit, and by the largest element") {
    for (std::string name : {"clip_grad_norm", "clip_grad_norm_below", "clip_grad_norm_inf"})
      in_both_precisions(name, [&](Golden& g, DType dtype) {
        Parameters parameters;
        for (std::string p : {"w", "b"}) {
          Tensor before = g.tensor("grad.before." + p);
          Variable v(Tensor::zeros(before.shape(), dtype), Variable::kRequiresGrad);
          v.set_grad(before);
          parameters.push_back({p, v});
        }
        double p = name == "clip_grad_norm_inf" ? INFINITY : 2;
        double norm = nn::clip_grad_norm(parameters, g.number("max_norm"), {.p = p});
        g.compare("output.norm", Tensor::scalar(norm, dtype));
        for (auto& [key, v] : parameters) g.compare("grad.after." + key, v.grad());
      });
  }

  TEST_CASE("clip_grad_value") {
    in_both_precisions("clip_grad_value", [](Golden& g, DType) {
      Tensor before = g.tensor("grad.before.w");
      Variable w(Tensor::zeros(before.shape(), before.dtype()), Variable::kRequiresGrad);
      w.set_grad(before);
      nn::clip_grad_value({{"w", w}}, g.number("clip_value"));
      g.compare("grad.after.w", w.grad());
    });
  }
}
