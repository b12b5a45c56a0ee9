#include "nn/optim/decay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed::nn {

ConstantRate::ConstantRate(const Options& options) : options_(options) { check(); }
Fields ConstantRate::fields() { return {{"peak", &options_.peak}}; }
void ConstantRate::check() const { require_positive(kind(), "peak", options_.peak); }
double ConstantRate::operator()(int64_t) const { return options_.peak; }

StepDecay::StepDecay(const Options& options) : options_(options) { check(); }
Fields StepDecay::fields() {
  return {{"peak", &options_.peak}, {"every", &options_.every}, {"factor", &options_.factor}};
}
void StepDecay::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_count(kind(), "number of steps between falls", options_.every, 1);
  require_positive(kind(), "factor", options_.factor);
}
double StepDecay::operator()(int64_t step) const {
  return options_.peak * std::pow(options_.factor, static_cast<double>((step - 1) / options_.every));
}

MultiStepDecay::MultiStepDecay(const Options& options) : options_(options) { check(); }
Fields MultiStepDecay::fields() {
  return {{"peak", &options_.peak}, {"milestones", &options_.milestones}, {"factor", &options_.factor}};
}
void MultiStepDecay::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_positive(kind(), "factor", options_.factor);
  const auto& m = options_.milestones;
  for (size_t i = 0; i < m.size(); ++i)
    if (m[i] < 1 || (i > 0 && m[i] <= m[i - 1]))
      throw ValueError(fmt::format("{}: milestones must be positive and rise; got {}", kind(), fmt::join(m, ", ")));
}
double MultiStepDecay::operator()(int64_t step) const {
  const auto& m = options_.milestones;
  auto passed = std::lower_bound(m.begin(), m.end(), step) - m.begin();
  return options_.peak * std::pow(options_.factor, static_cast<double>(passed));
}

ExponentialDecay::ExponentialDecay(const Options& options) : options_(options) { check(); }
Fields ExponentialDecay::fields() { return {{"peak", &options_.peak}, {"factor", &options_.factor}}; }
void ExponentialDecay::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_positive(kind(), "factor", options_.factor);
}
double ExponentialDecay::operator()(int64_t step) const {
  return options_.peak * std::pow(options_.factor, static_cast<double>(step - 1));
}

}  // namespace heed::nn
