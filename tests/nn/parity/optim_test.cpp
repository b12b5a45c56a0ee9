// Optimisers and clipping against PyTorch: twelve steps with given gradients, the parameters after each.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "nn/optim/optimizer.h"
#include "nn/optim/schedule.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

template <class Make>
void follows(const std::string& name, const Make& make) {
  in_both_precisions(name, [&](Golden& g, DType) {
    std::vector<NamedVariable> parameters;
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
      follows("sgd" + form, [](const Golden& g, const std::vector<NamedVariable>& parameters) {
        return nn::SGD(parameters, {.learning_rate = g.number("lr"),
                                    .momentum = g.number("momentum"),
                                    .dampening = g.number("dampening"),
                                    .weight_decay = g.number("weight_decay"),
                                    .nesterov = g.flag("nesterov")});
      });
  }

  TEST_CASE("Adam: betas, epsilon, weight decay, AMSGrad") {
    for (std::string form : {"", "_betas", "_weight_decay", "_amsgrad"})
      follows("adam" + form, [](const Golden& g, const std::vector<NamedVariable>& parameters) {
        return nn::Adam(parameters, {.learning_rate = g.number("lr"),
                                     .beta1 = g.number("beta1"),
                                     .beta2 = g.number("beta2"),
                                     .epsilon = g.number("eps"),
                                     .weight_decay = g.number("weight_decay"),
                                     .amsgrad = g.flag("amsgrad")});
      });
  }

  TEST_CASE("the half cosine, without warm-up") {
    Golden g("lr_cosine", DType::f64);
    nn::WarmupCosine rate{
        .peak = g.number("base_lr"), .warmup = 0, .total = g.integer("T_max"), .floor = g.number("eta_min")};
    std::vector<double> rates;
    for (int64_t step = 0; step < 30; ++step) rates.push_back(rate(step));
    g.compare("output.lr", Tensor::from(rates, {30}));
    g.finish();
  }

  TEST_CASE("clip_grad_norm above and below the limit") {
    for (std::string name : {"clip_grad_norm", "clip_grad_norm_below"})
      in_both_precisions(name, [](Golden& g, DType dtype) {
        std::vector<NamedVariable> parameters;
        for (std::string p : {"w", "b"}) {
          Tensor before = g.tensor("grad.before." + p);
          Variable v(Tensor::zeros(before.shape(), dtype), Variable::kRequiresGrad);
          v.set_grad(before);
          parameters.push_back({p, v});
        }
        double norm = nn::clip_grad_norm(parameters, g.number("max_norm"));
        g.compare("output.norm", Tensor::scalar(norm, dtype));
        for (auto& [p, v] : parameters) g.compare("grad.after." + p, v.grad());
      });
  }
}
