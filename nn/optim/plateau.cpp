#include "nn/optim/plateau.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed::nn {

ReduceOnPlateau::ReduceOnPlateau(const Options& options)
    : options_(options), rate_(options.peak), best_(options.maximise ? -INFINITY : INFINITY) {
  start();
}

void ReduceOnPlateau::fields(OptionFields& f) {
  options_.fields(f);
  f("rate", rate_, "learning rate now", kPositive);
  f("best", best_, "best observation so far", kAnyNumber);
  f("waited", waited_, "observations since then");
  f("cooling", cooling_, "observations that do not count yet");
}

bool ReduceOnPlateau::better(double metric) const {
  double t = options_.threshold;
  if (options_.maximise) return metric > (options_.absolute_threshold ? best_ + t : best_ * (1 + t));
  return metric < (options_.absolute_threshold ? best_ - t : best_ * (1 - t));
}

void ReduceOnPlateau::observe(double metric) {
  if (better(metric)) {
    best_ = metric;
    waited_ = 0;
  } else {
    ++waited_;
  }
  if (cooling_ > 0) {
    --cooling_;
    waited_ = 0;
  }
  if (waited_ <= options_.patience) return;
  double reduced = std::max(rate_ * options_.factor, options_.floor);
  if (rate_ - reduced > options_.least_change) rate_ = reduced;
  cooling_ = options_.cooldown;
  waited_ = 0;
}

}  // namespace heed::nn
