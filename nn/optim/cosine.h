// The learning rate follows half a cosine wave from the peak to the floor: it falls slowly, then fast, then slowly.
// Legend: s is the step, counted from 1.
//
//   half(x) = floor + (peak - floor) (1 + cos(pi x)) / 2      peak at x = 0, floor at x = 1
//
// Source: Loshchilov and Hutter, ICLR 2017, eq. 5.
#pragma once

#include "nn/optim/schedule.h"

namespace heed::nn {

// Linear from 0 to `peak` over `warmup` steps, then half((s - warmup) / (total - warmup)), and `floor` from step
// `total` on. (Warm-up as in Goyal et al., arXiv:1706.02677, section 2.2.)
class WarmupCosine final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t warmup = 0, total = 1;
    double floor = 0;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate after the warm-up", kPositive);
      f("warmup", warmup, "steps in which it rises");
      f("total", total, "step at which it reaches the floor", {1});
      f("floor", floor, "learning rate from there on");
    }
  };
  explicit WarmupCosine(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "WarmupCosine"; }
  void fields(OptionFields& f) override { options_.fields(f); }
  void check() const override;

 private:
  Options options_;
};

// lr = half((s - 1) / period). After the period the rate stays at `floor`; with `wave` it rises to the peak again,
// falls, and so on.
class CosineDecay final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t period = 1;
    double floor = 0;
    bool wave = false;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate of the first step", kPositive);
      f("period", period, "steps down to the floor", {1});
      f("floor", floor, "learning rate at the end");
      f("wave", wave, "rise and fall again after it");
    }
  };
  explicit CosineDecay(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "CosineDecay"; }
  void fields(OptionFields& f) override { options_.fields(f); }

 private:
  Options options_;
};

// lr = half(..) over `period` steps, then again from the peak, with each period `growth` times as long as the last.
class CosineRestarts final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t period = 1, growth = 1;
    double floor = 0;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate after each restart", kPositive);
      f("period", period, "steps of the first fall", {1});
      f("growth", growth, "factor of the length of each further fall", {1});
      f("floor", floor, "learning rate at the end of a fall");
    }
  };
  explicit CosineRestarts(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "CosineRestarts"; }
  void fields(OptionFields& f) override { options_.fields(f); }

 private:
  Options options_;
};

}  // namespace heed::nn
