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
  };
  explicit WarmupCosine(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "WarmupCosine"; }
  Fields fields() override;
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
  };
  explicit CosineDecay(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "CosineDecay"; }
  Fields fields() override;
  void check() const override;

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
  };
  explicit CosineRestarts(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "CosineRestarts"; }
  Fields fields() override;
  void check() const override;

 private:
  Options options_;
};

}  // namespace heed::nn
