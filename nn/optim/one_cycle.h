// One cycle: the rate rises until it is almost too high, which keeps training away from narrow minima, then falls far.
//
//   peak / start_divisor  ->  peak  ->  peak / start_divisor / end_divisor
//
// The rise takes the first fraction `rise` of the `total` steps. With three phases, the rate then falls back to its
// initial value in the same number of steps, and after that to the final value. Between two of these values it follows
// half a cosine, or a straight line. After the last step it stays constant. Source: Smith and Topin, arXiv:1708.07120;
// the values at the ends of the phases are PyTorch's.
#pragma once

#include "nn/optim/schedule.h"

namespace heed::nn {

class OneCycle final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t total = 2;  // number of steps
    double rise = 0.3;
    bool linear = false, three_phase = false;
    double start_divisor = 25, end_divisor = 1e4;

    void fields(OptionFields& f) {
      f("peak", peak, "largest learning rate", kPositive);
      f("total", total, "number of steps", {2});
      f("rise", rise, "share of the steps in which it rises", {0, 1});
      f("linear", linear, "rise and fall in straight lines, not half cosines");
      f("three_phase", three_phase, "fall as long as it rose, then further");
      f("start_divisor", start_divisor, "the first learning rate is the largest divided by it", kPositive);
      f("end_divisor", end_divisor, "the last one is the first divided by it", kPositive);
    }
  };
  explicit OneCycle(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "OneCycle"; }
  void fields(OptionFields& f) override { options_.fields(f); }
  void check() const override;

 private:
  Options options_;
};

}  // namespace heed::nn
