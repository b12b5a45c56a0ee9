// Rates that rise at first, while the optimiser's averages rest on few gradients, and then fall. s: the step, from 1.
#pragma once

#include "nn/optim/schedule.h"

namespace heed::nn {

// From `start` at the first step up to `peak` after `warmup` steps, then down to `floor` after `total` steps, both on a
// straight line. (Devlin et al., NAACL 2019, appendix A.2.)
class WarmupLinear final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3, start = 0;
    int64_t warmup = 0, total = 1;
    double floor = 0;
  };
  explicit WarmupLinear(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "WarmupLinear"; }
  Fields fields() override;
  void check() const override;

 private:
  Options options_;
};

// lr = scale width^-0.5 min(s^-0.5, s warmup^-1.5), with its maximum at s = warmup. (Vaswani et al., NeurIPS 2017, eq.
// 3; their width 512 and warm-up 4000 give a maximum of 6.9877e-4.)
class Noam final : public Schedule {
 public:
  struct Options {
    int64_t width = 512, warmup = 4000;
    double scale = 1;
  };
  explicit Noam(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "Noam"; }
  Fields fields() override;
  void check() const override;

 private:
  Options options_;
};

// lr = peak min(s / warmup, sqrt(warmup / s)): the curve of Noam, specified by its maximum.
class InverseSquareRoot final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t warmup = 4000;
  };
  explicit InverseSquareRoot(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "InverseSquareRoot"; }
  Fields fields() override;
  void check() const override;

 private:
  Options options_;
};

}  // namespace heed::nn
