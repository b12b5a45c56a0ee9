// Schedules: values known from their formulas, corners, states, what is refused. tests/nn/parity has PyTorch's values.
#include "nn/optim/schedule.h"

#include <cmath>

#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/one_cycle.h"
#include "nn/optim/plateau.h"
#include "nn/optim/warmup.h"
#include "tests/nn/optim/support.h"

using namespace heed;
using namespace heed::nn_test;
using doctest::Approx;

namespace {

using Make = std::unique_ptr<nn::Schedule> (*)(double peak);
using heed::bad_input::refuses;
template <class S, class O>
std::unique_ptr<nn::Schedule> made(const O& options) {
  return std::make_unique<S>(options);
}
// Each kind, with options that are not the defaults.
const std::vector<Make> kSchedules = {
    [](double peak) { return made<nn::ConstantRate>(nn::ConstantRate::Options{.peak = peak}); },
    [](double peak) { return made<nn::StepDecay>(nn::StepDecay::Options{.peak = peak, .every = 3, .factor = 1. / 3}); },
    [](double peak) {
      return made<nn::MultiStepDecay>(nn::MultiStepDecay::Options{.peak = peak, .milestones = {2, 6}, .factor = 0.3});
    },
    [](double peak) { return made<nn::ExponentialDecay>(nn::ExponentialDecay::Options{.peak = peak, .factor = 0.9}); },
    [](double peak) {
      return made<nn::WarmupCosine>(nn::WarmupCosine::Options{.peak = peak, .warmup = 3, .total = 9, .floor = 0.001});
    },
    [](double peak) {
      return made<nn::CosineDecay>(nn::CosineDecay::Options{.peak = peak, .period = 4, .floor = 0.001, .wave = true});
    },
    [](double peak) {
      return made<nn::CosineRestarts>(
          nn::CosineRestarts::Options{.peak = peak, .period = 2, .growth = 2, .floor = 0.001});
    },
    [](double peak) {
      return made<nn::WarmupLinear>(
          nn::WarmupLinear::Options{.peak = peak, .start = 0.01, .warmup = 3, .total = 9, .floor = 0.001});
    },
    [](double peak) { return made<nn::Noam>(nn::Noam::Options{.width = 16, .warmup = 5, .scale = peak}); },
    [](double peak) { return made<nn::InverseSquareRoot>(nn::InverseSquareRoot::Options{.peak = peak, .warmup = 4}); },
    [](double peak) {
      return made<nn::OneCycle>(nn::OneCycle::Options{
          .peak = peak, .total = 10, .rise = 0.4, .linear = true, .three_phase = true, .start_divisor = 3});
    },
    [](double peak) {
      return made<nn::ReduceOnPlateau>(nn::ReduceOnPlateau::Options{.peak = peak, .factor = 0.5, .patience = 1});
    },
};

// Adam under a schedule that hears a stalling metric.
void train(nn::Optimizer& optimizer, nn::Schedule& schedule, const Parameters& p, uint64_t from, uint64_t to) {
  for (uint64_t step = from; step < to; ++step) {
    give(p, 10 * step);
    optimizer.step(schedule);
    schedule.observe(step < 3 ? 1.0 / static_cast<double>(step + 1) : 0.3 + 0.01 * static_cast<double>(step % 2));
  }
}

}  // namespace

// The rate is largest at the end of the warm-up, with the value of the paper.
TEST_CASE("Noam: the peak of the paper, at the end of the warm-up" * holds("golden_peak")) {
  nn::Noam noam({.width = 512, .warmup = 4000});
  CHECK(noam(4000) == Approx(6.9877e-4).epsilon(1e-5));
  CHECK(noam(3999) < noam(4000));
  CHECK(noam(4001) < noam(4000));
  CHECK(noam(1) == Approx(noam(4000) / 4000));
  CHECK(noam(16000) == Approx(noam(4000) / 2));
  nn::InverseSquareRoot same({.peak = noam(4000), .warmup = 4000});
  for (int64_t s : {1, 100, 4000, 5000, 100000}) CHECK(same(s) == Approx(noam(s)));
}

TEST_CASE("decays: constant, by steps, by milestones, exponential") {
  nn::StepDecay steps({.peak = 8, .every = 2, .factor = 0.5});
  nn::MultiStepDecay milestones({.peak = 8, .milestones = {1, 4}, .factor = 0.5});
  nn::ExponentialDecay exponential({.peak = 8, .factor = 0.5});
  std::vector<double> by_steps{8, 8, 4, 4, 2, 2}, by_milestones{8, 4, 4, 4, 2, 2}, each{8, 4, 2, 1, 0.5, 0.25};
  for (int64_t s = 1; s <= 6; ++s) {
    auto i = static_cast<size_t>(s - 1);
    CHECK(nn::ConstantRate({.peak = 0.25})(s) == 0.25);
    CHECK(steps(s) == by_steps[i]);
    CHECK(nn::StepDecay({.peak = 8, .factor = 0.5})(s) == each[i]);  // at every step
    CHECK(milestones(s) == by_milestones[i]);
    CHECK(exponential(s) == each[i]);
  }
}

TEST_CASE("cosines: corners, the middle, behind the end, restarts") {
  nn::WarmupCosine warm({.peak = 2, .warmup = 4, .total = 12, .floor = 1});
  CHECK(warm(1) == 0.5);
  CHECK(warm(4) == 2);
  CHECK(warm(8) == Approx(1.5));
  CHECK(warm(12) == 1);
  CHECK(warm(1000) == 1);
  nn::CosineDecay once({.peak = 2, .period = 10, .floor = 1}),
      wave({.peak = 2, .period = 10, .floor = 1, .wave = true});
  CHECK(once(1) == 2);
  CHECK(once(6) == Approx(1.5));
  CHECK(once(11) == Approx(1));
  CHECK(once(12) == 1);
  CHECK(wave(16) == Approx(1.5));
  CHECK(wave(21) == Approx(2));
  nn::CosineRestarts doubled({.peak = 2, .period = 2, .growth = 2, .floor = 1});  // 2, 4, 8, .. steps
  for (int64_t start : {1, 3, 7, 15}) CHECK(doubled(start) == 2);
  for (int64_t middle : {2, 5, 11, 23}) CHECK(doubled(middle) == Approx(1.5));
  nn::CosineRestarts equal({.peak = 2, .period = 3});
  CHECK(equal(3'000'000'001) == 2);
}

TEST_CASE("linear warm-up and decay, one cycle: corners and behind the end") {
  nn::WarmupLinear line({.peak = 2, .warmup = 4, .total = 12, .floor = 1});
  CHECK(line(1) == 0);
  CHECK(line(3) == 1);
  CHECK(line(5) == 2);
  CHECK(line(9) == 1.5);
  CHECK(line(13) == 1);
  CHECK(line(99) == 1);
  nn::WarmupLinear no_warmup({.peak = 2, .total = 2});
  CHECK(no_warmup(1) == 2);
  CHECK(no_warmup(2) == 1);
  for (bool linear : {false, true}) {
    nn::OneCycle cycle({.peak = 1, .total = 21, .rise = 10.0 / 21, .linear = linear, .start_divisor = 4});
    CHECK(cycle(1) == Approx(0.25));
    CHECK(cycle(10) == Approx(1));
    CHECK(cycle(21) == Approx(0.25e-4));
    CHECK(cycle(22) == cycle(21));
  }
  CHECK(nn::OneCycle({.peak = 1, .total = 4, .rise = 0})(1) < 1);  // no rise: falls from the first step on
}

TEST_CASE("reduce on plateau: waits, cools down, stops at the floor; NaN is not better") {
  nn::ReduceOnPlateau plateau({.peak = 1, .factor = 0.5, .patience = 1, .cooldown = 2, .floor = 0.3});
  std::vector<double> rates;
  for (int i = 0; i < 9; ++i) {
    plateau.observe(i == 0 ? 1 : std::nan(""));
    rates.push_back(plateau(1));
  }
  CHECK(rates == std::vector<double>{1, 1, 0.5, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3});
  nn::ReduceOnPlateau rising({.peak = 1, .factor = 0.5, .patience = 0, .threshold = 0.1, .maximise = true});
  for (double metric : {1.0, 1.2, 1.4}) rising.observe(metric);
  CHECK(rising(1) == 1);
  rising.observe(1.5);  // less than a tenth better
  CHECK(rising(1) == 0.5);
  rising.observe(1.5);  // no observation is left out unless a cooldown is asked for
  CHECK(rising(1) == 0.25);
}

TEST_CASE("schedules resume from a saved state to the bit, options and all") {
  for (const Make& make : kSchedules) {
    auto through = two(1), before = two(1);
    auto s = make(0.1), t = make(0.1), u = make(0.7);  // the state brings 0.1 back
    nn::Adam a(through, {}), b(before, {});
    CAPTURE(s->save_state().metadata.at("schedule"));
    train(a, *s, through, 0, 11);
    train(b, *t, before, 0, 5);
    auto resumed = copies(before);
    nn::Adam c(resumed, {});
    c.load_state(b.save_state(), "optimizer");
    u->load_state(t->save_state(), "schedule");
    CHECK(u->save_state().metadata == t->save_state().metadata);
    train(c, *u, resumed, 5, 11);
    CHECK(same_values(through, resumed));
    CHECK(c.learning_rate == a.learning_rate);
  }
}
