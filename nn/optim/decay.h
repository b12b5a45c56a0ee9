// Learning rates that stay constant, fall in steps, or fall by a factor at every step. Legend: s is the step, from 1.
#pragma once

#include "nn/optim/schedule.h"

namespace heed::nn {

// lr = peak
class ConstantRate final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;

    void fields(OptionFields& f) { f("peak", peak, "learning rate", kPositive); }
  };
  explicit ConstantRate(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "ConstantRate"; }
  void fields(OptionFields& f) override { options_.fields(f); }

 private:
  Options options_;
};

// lr = peak factor^floor((s - 1) / every)
class StepDecay final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    int64_t every = 1;
    double factor = 0.1;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate of the first step", kPositive);
      f("every", every, "steps between falls", {1});
      f("factor", factor, "by which it is multiplied", kPositive);
    }
  };
  explicit StepDecay(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "StepDecay"; }
  void fields(OptionFields& f) override { options_.fields(f); }

 private:
  Options options_;
};

// lr = peak factor^k, where k is the number of milestones below s. The milestones must rise; each is the number of
// steps that are taken before one fall.
class MultiStepDecay final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3;
    std::vector<int64_t> milestones;
    double factor = 0.1;

    void fields(OptionFields& f);
  };
  explicit MultiStepDecay(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "MultiStepDecay"; }
  void fields(OptionFields& f) override { options_.fields(f); }
  void check() const override;

 private:
  Options options_;
};

// lr = peak factor^(s - 1)
class ExponentialDecay final : public Schedule {
 public:
  struct Options {
    double peak = 1e-3, factor = 0.999;

    void fields(OptionFields& f) {
      f("peak", peak, "learning rate of the first step", kPositive);
      f("factor", factor, "by which each step multiplies it", kPositive);
    }
  };
  explicit ExponentialDecay(const Options& options);
  double operator()(int64_t step) const override;

 protected:
  const char* kind() const override { return "ExponentialDecay"; }
  void fields(OptionFields& f) override { options_.fields(f); }

 private:
  Options options_;
};

}  // namespace heed::nn
