// Rates that rise at first, while the optimiser's averages rest on few gradients, and then fall. s: the step, from 1.
#pragma once

#include "nn/about.h"
#include "nn/optim/schedule.h"

namespace heed::nn {

inline constexpr About kAboutNoam{
    .names = {"H9", "noam", "inverse square root with warm-up"},
    .family = "around attention",
    .formula = "lr_s = D^(-1/2) min(s^(-1/2), s W^(-3/2))",
    .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
    .idea =
        "The learning rate rises in a straight line and then falls in proportion to one over the root of the step. The "
        "warm-up is needed by a transformer with the norm last. The fall does not depend on how long the training will "
        "be.",
    .wrong =
        "The peak follows from the width and the number of warm-up steps, and is not a separate setting. With a width "
        "of 512 and 4000 steps it is 0.0007.",
    .shapes = "step -> learning rate",
    .cost = "nothing",
    .own = {"golden_peak"},
};

// From `start` at the first step up to `peak` after `warmup` steps, then down to `floor` after `total` steps, both on a
// straight line. (Devlin et al., NAACL 2019, appendix A.2.)
class WarmupLinear final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3, start = 0;
    int64_t warmup = 0, total = 1;
    double floor = 0;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate after the warm-up", kPositive);
      f("start", start, "learning rate of the first step");
      f("warmup", warmup, "steps in which it rises");
      f("total", total, "step at which it reaches the floor", {1});
      f("floor", floor, "learning rate from there on");
    }
  };
  explicit WarmupLinear(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "WarmupLinear"; }
  void fields(OptionFields& f) override { options_.fields(f); }
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

    void fields(OptionFields& f) {
      f("width", width, "width of the model", {1});
      f("warmup", warmup, "steps in which it rises", {1});
      f("scale", scale, "factor of the learning rate", kPositive);
    }
  };
  explicit Noam(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "Noam"; }
  void fields(OptionFields& f) override { options_.fields(f); }

 private:
  Options options_;
};

// lr = peak min(s / warmup, sqrt(warmup / s)): the curve of Noam, specified by its maximum.
class InverseSquareRoot final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t warmup = 4000;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate after the warm-up", kPositive);
      f("warmup", warmup, "steps in which it rises", {1});
    }
  };
  explicit InverseSquareRoot(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "InverseSquareRoot"; }
  void fields(OptionFields& f) override { options_.fields(f); }

 private:
  Options options_;
};

}  // namespace heed::nn
