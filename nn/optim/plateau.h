// Reduce on plateau: multiply the rate by `factor` if the metric has not improved for more than `patience`
// observations. It is the only schedule that depends on a metric, and so the only one with a memory.
//
//   better:  metric < best (1 - threshold), or with absolute_threshold  metric < best - threshold;
//            with maximise  metric > best (1 + threshold)  and  metric > best + threshold
//
// After a reduction, the next `cooldown` observations are not counted. The rate does not fall below `floor`, and a
// reduction of at most `least_change` is not made. A metric that is NaN counts as not better. This is as in PyTorch.
#pragma once

#include "nn/optim/schedule.h"

namespace heed::nn {

class ReduceOnPlateau final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3, factor = 0.1;
    int64_t patience = 10, cooldown = 0;
    double threshold = 1e-4;
    bool absolute_threshold = false, maximise = false;
    double floor = 0, least_change = 1e-8;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate at the start", kPositive);
      f("factor", factor, "by which a fall multiplies it", {0, 1, Range::kOpen});
      f("patience", patience, "observations without an improvement before a fall");
      f("cooldown", cooldown, "observations after a fall that do not count");
      f("threshold", threshold, "how much better is an improvement");
      f("absolute_threshold", absolute_threshold, "the threshold is a difference, not a share");
      f("maximise", maximise, "larger is better");
      f("floor", floor, "it falls no further");
      f("least_change", least_change, "a smaller fall is left out");
    }
  };
  explicit ReduceOnPlateau(const Options& options);
  double operator()(int64_t) const override { return rate_; }
  void observe(double metric) override;

 protected:
  const char* kind() const override { return "ReduceOnPlateau"; }
  void fields(OptionFields& f) override;

 private:
  bool better(double metric) const;
  Options options_;
  double rate_, best_;
  int64_t waited_ = 0, cooling_ = 0;  // observations without an improvement; cooldown observations left
};

}  // namespace heed::nn
