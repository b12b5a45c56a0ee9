// Schedules against PyTorch: the rates of thirty steps.
#include <doctest/doctest.h>

#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/one_cycle.h"
#include "nn/optim/plateau.h"
#include "nn/optim/warmup.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;

namespace {

void compare(Golden& g, const nn::Schedule& schedule) {
  std::vector<double> rates;
  for (int64_t step = 1; step <= 30; ++step) rates.push_back(schedule(step));
  g.compare("output.lr", Tensor::from(rates, {30}));
  g.finish();
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("schedules: step") {
    Golden g("lr_step", DType::f64);
    compare(g,
            nn::StepDecay({.peak = g.number("base_lr"), .every = g.integer("step_size"), .factor = g.number("gamma")}));
  }

  TEST_CASE("schedules: cosine, once and as a wave") {
    for (std::string name : {"lr_cosine", "lr_cosine_repeats"}) {
      Golden g(name, DType::f64);
      compare(g, nn::CosineDecay({.peak = g.number("base_lr"),
                                  .period = g.integer("T_max"),
                                  .floor = g.number("eta_min"),
                                  .wave = name == "lr_cosine_repeats"}));
    }
  }

  TEST_CASE("schedules: cosine behind a warm-up, without the warm-up") {
    Golden g("lr_cosine", DType::f64);
    nn::WarmupCosine rate(
        {.peak = g.number("base_lr"), .warmup = 0, .total = g.integer("T_max"), .floor = g.number("eta_min")});
    std::vector<double> rates;
    for (int64_t step = 0; step < 30; ++step) rates.push_back(rate(step));
    g.compare("output.lr", Tensor::from(rates, {30}));
    g.finish();
  }

  TEST_CASE("schedules: linear warm-up") {
    Golden g("lr_linear_warmup", DType::f64);
    double peak = g.number("base_lr");
    int64_t warmup = g.integer("total_iters");
    compare(g, nn::WarmupLinear({.peak = peak * g.number("end_factor"),
                                 .start = peak * g.number("start_factor"),
                                 .warmup = warmup,
                                 .total = warmup,
                                 .floor = peak * g.number("end_factor")}));
  }

  TEST_CASE("schedules: one cycle, by cosines, lines, and in three phases") {
    for (std::string form : {"cos", "linear", "three_phase"}) {
      Golden g("lr_onecycle_" + form, DType::f64);
      nn::OneCycle::Options options{.peak = g.number("max_lr"),
                                    .total = g.integer("total_steps"),
                                    .rise = g.number("pct_start"),
                                    .linear = form == "linear",
                                    .three_phase = form == "three_phase"};
      if (form != "three_phase") {  // that case leaves the divisors as PyTorch has them: 25 and 1e4
        options.start_divisor = g.number("div_factor");
        options.end_divisor = g.number("final_div_factor");
      }
      compare(g, nn::OneCycle(options));
    }
  }

  TEST_CASE("schedules: Noam and inverse square root") {
    Golden noam("lr_noam", DType::f64), root("lr_inverse_sqrt", DType::f64);
    compare(
        noam,
        nn::Noam({.width = noam.integer("width"), .warmup = noam.integer("warmup"), .scale = noam.number("base_lr")}));
    compare(root, nn::InverseSquareRoot({.peak = root.number("base_lr"), .warmup = root.integer("warmup")}));
  }

  TEST_CASE("schedules: reduce on plateau, of minima and of maxima") {
    for (std::string mode : {"min", "max"}) {
      Golden g("lr_plateau_" + mode, DType::f64);
      CHECK(g.text("mode") == mode);
      nn::ReduceOnPlateau schedule({.peak = g.number("base_lr"),
                                    .factor = g.number("factor"),
                                    .patience = g.integer("patience"),
                                    .cooldown = g.integer("cooldown"),
                                    .threshold = g.number("threshold"),
                                    .absolute_threshold = g.text("threshold_mode") == "abs",
                                    .maximise = mode == "max",
                                    .floor = g.number("min_lr")});
      std::vector<double> rates;
      for (double metric : g.tensor("input.metric").to_vector()) {
        rates.push_back(schedule(static_cast<int64_t>(rates.size()) + 1));
        schedule.observe(metric);
      }
      g.compare("output.lr", Tensor::from(rates, {30}));
      g.finish();
    }
  }
}
