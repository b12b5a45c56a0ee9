// The optimisers that are compared. Their formulas are in nn/optim; here are their names and the learning rates that a
// comparison tries, so that no optimiser loses because of a badly chosen learning rate.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"

namespace optimisers {

using Parameters = std::vector<heed::NamedVariable>;
using OptimizerPointer = std::unique_ptr<heed::nn::Optimizer>;

struct Rule {
  std::string name;
  std::function<OptimizerPointer(const Parameters&, double rate)> make;
  double first_rate;  // of the eight that the contest tries, each about twice the one before
};

template <class Kind>
Rule rule(const std::string& name, double first_rate, typename Kind::Options options) {
  auto make = [options](const Parameters& parameters, double rate) mutable -> OptimizerPointer {
    options.learning_rate = rate;
    return std::make_unique<Kind>(parameters, options);
  };
  return {name, make, first_rate};
}

inline std::vector<Rule> all_rules(double momentum) {
  using namespace heed::nn;
  return {rule<SGD>("SGD", 0.2, {}),
          rule<SGD>("momentum", 0.05, {.momentum = momentum}),
          rule<SGD>("Nesterov", 0.05, {.momentum = momentum, .nesterov = true}),
          rule<Adagrad>("Adagrad", 0.02, {}),
          rule<RMSprop>("RMSprop", 0.002, {}),
          rule<Adam>("Adam", 0.002, {})};
}

// 1, 2, 5, 10, ... times `first`, which is one of these times a power of ten.
inline std::vector<double> rates_from(double first, int count) {
  std::vector<double> rates{first};
  while (static_cast<int>(rates.size()) < count) {
    int digit = std::stoi(fmt::format("{:.0e}", rates.back()).substr(0, 1));
    rates.push_back(rates.back() * (digit == 2 ? 2.5 : 2));
  }
  return rates;
}

}  // namespace optimisers
