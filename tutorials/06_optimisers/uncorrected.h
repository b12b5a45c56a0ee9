// Adam without its bias correction, as a learning rate. Dividing m by 1 - b1^t and s by 1 - b2^t multiplies the step by
//
//   sqrt(1 - b2^t) / (1 - b1^t)          (Kingma and Ba 2015, the last lines of section 2; eps aside)
//
// so this schedule, a constant learning rate divided by that factor, removes the correction again.
#pragma once

#include <algorithm>
#include <cmath>

#include "nn/optim/schedule.h"

namespace optimisers {

class Uncorrected final : public heed::nn::Schedule {
 public:
  struct Options {
    double rate = 1e-3, beta1 = 0.9, beta2 = 0.999;
    std::int64_t warmup = 1;  // the learning rate rises linearly over this number of steps
  };
  explicit Uncorrected(const Options& options) : options_(options) {}
  double operator()(std::int64_t step) const override {
    auto t = static_cast<double>(step);
    double too_large = (1 - std::pow(options_.beta1, t)) / std::sqrt(1 - std::pow(options_.beta2, t));
    return options_.rate * too_large * std::min(1.0, t / static_cast<double>(options_.warmup));
  }

 protected:
  const char* kind() const override { return "Uncorrected"; }
  void fields(heed::nn::OptionFields& f) override {
    f("rate", options_.rate, "learning rate", heed::nn::kPositive);
    f("beta1", options_.beta1, "Adam's", heed::nn::kFraction);
    f("beta2", options_.beta2, "Adam's", heed::nn::kFraction);
    f("warmup", options_.warmup, "steps in which it rises", {1});
  }

 private:
  Options options_;
};

}  // namespace optimisers
