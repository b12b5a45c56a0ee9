// Losses against PyTorch: values and gradients. (The cross-entropy is in layers_test.cpp.)
#include <doctest/doctest.h>

#include "autograd/ops.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

Reduction reduction_of(const Golden& g) {
  return g.text("reduction") == "sum" ? Reduction::sum : Reduction::mean;  // mean, batchmean
}

// loss(g, x, target) in both precisions and with both reductions.
template <class F>
void matches(const std::string& name, const F& loss, const std::string& mean = "mean") {
  for (const std::string& reduction : {mean, std::string("sum")})
    in_both_precisions(name + "_" + reduction, [&](Golden& g, DType) {
      Variable x = g.leaf("x"), target(g.tensor("input.target"));
      g.check({{"loss", loss(g, x, target)}}, {{"x", x}});
    });
}

}  // namespace

TEST_SUITE("parity") {
  using V = const Variable&;

  TEST_CASE("losses: squared, absolute, Huber, smooth L1") {
    matches("mse", [](Golden& g, V x, V t) { return mse_loss(x, t, reduction_of(g)); });
    matches("l1", [](Golden& g, V x, V t) { return l1_loss(x, t, reduction_of(g)); });
    for (std::string width : {"1.0", "0.5"}) {
      matches("huber_" + width, [](Golden& g, V x, V t) {
        return huber_loss(x, t, {.delta = g.number("delta"), .reduction = reduction_of(g)});
      });
      matches("smooth_l1_" + width, [](Golden& g, V x, V t) {
        return smooth_l1_loss(x, t, {.beta = g.number("beta"), .reduction = reduction_of(g)});
      });
    }
  }

  TEST_CASE("losses: binary cross-entropy of probabilities and of logits, large ones and weighted") {
    matches("bce", [](Golden& g, V x, V t) { return bce_loss(x, t, reduction_of(g)); });
    for (std::string form : {"", "_large", "_pos_weight"})
      matches("bce_logits" + form, [](Golden& g, V x, V t) {
        BceLogitsOptions o{.reduction = reduction_of(g)};
        if (g.has("input.pos_weight")) o.pos_weight = g.tensor("input.pos_weight");
        return bce_with_logits_loss(x, t, o);
      });
  }

  TEST_CASE("losses: KL divergence from probabilities and from their logarithms") {
    for (std::string form : {"", "_log_target"})
      matches(
          "kl_div" + form,
          [&](Golden& g, V x, V t) {
            return kl_div(x, t, {.log_target = !form.empty(), .reduction = reduction_of(g)});
          },
          "batchmean");
  }

  TEST_CASE("losses: negative log-likelihood, with ignored targets") {
    for (std::string form : {"plain", "ignore"})
      for (std::string reduction : {"mean", "sum"})
        in_both_precisions("nll_" + form + "_" + reduction, [&](Golden& g, DType) {
          NllOptions o{.reduction = reduction_of(g)};
          if (form == "ignore") o.ignore_index = g.integer("ignore_index");
          Variable log_p = g.leaf("log_p");
          g.check({{"loss", nll_loss(log_p, g.ids("target"), o)}}, {{"log_p", log_p}});
        });
  }
}
