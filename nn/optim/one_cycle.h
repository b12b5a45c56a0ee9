// One cycle: up to a rate that is almost too high, which keeps training away from narrow valleys, and far down again.
//
//   peak / start_divisor  ->  peak  ->  peak / start_divisor / end_divisor
//
// The rise takes the first share `rise` of the `total` steps. With three phases the rate falls back to where it began
// in as many steps again, and then to the end. Between two corners it follows half a cosine, or a line; behind the last
// step it stays. Source: Smith and Topin, arXiv:1708.07120; the corners are PyTorch's.
#pragma once

#include "nn/optim/schedule.h"

namespace heed::nn {

class OneCycle final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t total = 2;  // steps
    double rise = 0.3;
    bool linear = false, three_phase = false;
    double start_divisor = 25, end_divisor = 1e4;
  };
  explicit OneCycle(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "OneCycle"; }
  Fields fields() override;
  void check() const override;

 private:
  Options options_;
};

}  // namespace heed::nn
