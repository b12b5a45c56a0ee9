#include "nn/optim/plateau.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed::nn {

ReduceOnPlateau::ReduceOnPlateau(const Options& options)
    : options_(options), rate_(options.peak), best_(options.maximise ? -INFINITY : INFINITY) {
  check();
}

Fields ReduceOnPlateau::fields() {
  Options& o = options_;
  return {{"peak", &o.peak},
          {"factor", &o.factor},
          {"patience", &o.patience},
          {"cooldown", &o.cooldown},
          {"threshold", &o.threshold},
          {"absolute_threshold", &o.absolute_threshold},
          {"maximise", &o.maximise},
          {"floor", &o.floor},
          {"least_change", &o.least_change},
          {"rate", &rate_},
          {"best", &best_},
          {"waited", &waited_},
          {"cooling", &cooling_}};
}

void ReduceOnPlateau::check() const {
  require_positive(kind(), "peak", options_.peak);
  if (!(options_.factor > 0 && options_.factor < 1))
    throw ValueError(fmt::format("{}: the factor must lie in (0, 1); got {}", kind(), options_.factor));
  require_count(kind(), "patience", options_.patience, 0);
  require_count(kind(), "cooldown", options_.cooldown, 0);
  require_not_negative(kind(), "threshold", options_.threshold);
  require_not_negative(kind(), "floor", options_.floor);
  require_not_negative(kind(), "least change", options_.least_change);
  require_positive(kind(), "rate", rate_);
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
