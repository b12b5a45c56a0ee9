// Half a cosine from the peak to the floor: slow at first, fast in the middle, slow at the end. s: the step, from 1.
//
//   half(x) = floor + (peak - floor) (1 + cos(pi x)) / 2        from peak at x = 0 to floor at x = 1
//
// Source: Loshchilov and Hutter, ICLR 2017, eq. 5.
#pragma once

#include "nn/optim/schedule.h"

namespace heed::nn {

// Linear from 0 to `peak` over `warmup` steps, then half((s - warmup) / (total - warmup)); `floor` from step `total`
// on. (Warm-up as in Goyal et al., arXiv:1706.02677, section 2.2.)
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

// half((s - 1) / period); behind the period `floor`, or with `wave` up again to the peak, down, and so on.
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

// half() over `period` steps, then from the peak again, each time `growth` times as long.
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
