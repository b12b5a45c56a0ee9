#include "nn/optim/decay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed::nn {

ConstantRate::ConstantRate(const Options& options) : options_(options) { start(); }
double ConstantRate::operator()(int64_t) const { return options_.peak; }

StepDecay::StepDecay(const Options& options) : options_(options) { start(); }
double StepDecay::operator()(int64_t step) const {
  return options_.peak * std::pow(options_.factor, static_cast<double>((step - 1) / options_.every));
}

MultiStepDecay::MultiStepDecay(const Options& options) : options_(options) { start(); }
void MultiStepDecay::Options::fields(OptionFields& f) {
  f("peak", peak, "learning rate of the first step", kPositive);
  f("milestones",
    TextPlace{[this] { return fmt::format("{}", fmt::join(milestones, " ")); },
              [this](const std::string& text) {
                std::vector<int64_t> read;
                for (size_t begin = 0; begin < text.size();) {
                  size_t end = std::min(text.find(' ', begin), text.size());
                  std::optional<int64_t> step = whole_number(std::string_view(text).substr(begin, end - begin));
                  if (!step) throw ValueError(fmt::format("milestones must be whole numbers; got \"{}\"", text));
                  read.push_back(*step);
                  begin = end + 1;
                }
                milestones = read;
              }},
    "steps at which it falls", {});
  f("factor", factor, "by which it is multiplied", kPositive);
}
void MultiStepDecay::check() const {
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

ExponentialDecay::ExponentialDecay(const Options& options) : options_(options) { start(); }
double ExponentialDecay::operator()(int64_t step) const {
  return options_.peak * std::pow(options_.factor, static_cast<double>(step - 1));
}

}  // namespace heed::nn
