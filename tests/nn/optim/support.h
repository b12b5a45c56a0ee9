// What the tests of optimisers share: every kind with the options that change its slots, parameters and gradients.
#pragma once

#include <memory>
#include <vector>

#include "nn/optim/adadelta.h"
#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "tests/nn/support.h"

namespace heed::nn_test {

using Parameters = std::vector<NamedVariable>;

struct Kind {
  const char* name;
  std::unique_ptr<nn::Optimizer> (*make)(const Parameters&);
};
inline const std::vector<Kind> kKinds = {
    {"SGD",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::SGD>(p, nn::SGD::Options{.learning_rate = 0.1});
     }},
    {"SGD, momentum",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::SGD>(p, nn::SGD::Options{.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.5});
     }},
    {"SGD, Nesterov",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::SGD>(
           p, nn::SGD::Options{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true});
     }},
    {"Adam",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::Adam>(p, nn::Adam::Options{.learning_rate = 0.1});
     }},
    {"Adam, AMSGrad",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::Adam>(p,
                                         nn::Adam::Options{.learning_rate = 0.1, .weight_decay = 0.1, .amsgrad = true});
     }},
    {"AdamW",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::AdamW>(p, nn::AdamW::Options{.learning_rate = 0.1, .weight_decay = 0.1});
     }},
    {"RMSprop",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::RMSprop>(p, nn::RMSprop::Options{.learning_rate = 0.1, .weight_decay = 0.1});
     }},
    {"RMSprop, momentum",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::RMSprop>(p, nn::RMSprop::Options{.learning_rate = 0.1, .momentum = 0.9});
     }},
    {"RMSprop, centered",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::RMSprop>(p, nn::RMSprop::Options{.learning_rate = 0.1, .centered = true});
     }},
    {"RMSprop, all",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::RMSprop>(
           p, nn::RMSprop::Options{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.1, .centered = true});
     }},
    {"Adagrad",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::Adagrad>(
           p, nn::Adagrad::Options{
                  .learning_rate = 0.1, .lr_decay = 0.1, .weight_decay = 0.1, .initial_sum = 0.5, .epsilon = 1e-10});
     }},
    {"Adadelta",
     [](const Parameters& p) -> std::unique_ptr<nn::Optimizer> {
       return std::make_unique<nn::Adadelta>(p, nn::Adadelta::Options{.epsilon = 1e-3, .weight_decay = 0.1});
     }},
};

inline Parameters two(uint64_t seed) { return {{"a", leaf({3, 4}, seed)}, {"b", leaf({5}, seed + 1)}}; }
inline Parameters copies(const Parameters& parameters) {
  Parameters out;
  for (const auto& p : parameters) out.push_back({p.name, leaf(p.variable.value())});
  return out;
}
inline void give(const Parameters& parameters, uint64_t seed) {
  for (auto p : parameters) p.variable.set_grad(random(p.variable.shape(), ++seed, p.variable.dtype()));
}
inline bool same_values(const Parameters& a, const Parameters& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!bit_equal(a[i].variable.value(), b[i].variable.value())) return false;
  return a.size() == b.size();
}

}  // namespace heed::nn_test
