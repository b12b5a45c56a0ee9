#include "nn/penalties.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops_arithmetic.h"

namespace heed::nn {
namespace {
Penalties*& innermost() {
  thread_local Penalties* collector = nullptr;
  return collector;
}
}  // namespace

Penalties::Penalties() : scope_(innermost(), this) {}
bool Penalties::active() { return innermost() != nullptr; }

void Penalties::add(const std::string& name, const Variable& loss, double weight) {
  if (!active()) return;
  if (!(weight >= 0) || !std::isfinite(weight))
    throw ValueError(fmt::format("penalty: the weight must be at least 0 and finite; got {}", weight));
  if (loss.rank() != 0)
    throw ShapeError(
        fmt::format("penalty: the loss must be one number, []; got {}; hint: its mean", to_string(loss.shape())));
  innermost()->terms_.push_back({name, weight == 1 ? loss : loss * weight});
}

Variable Penalties::total() const {
  Variable sum;
  for (const Term& term : terms_) sum = sum.defined() ? sum + term.loss : term.loss;
  return sum;
}

std::map<std::string, double> Penalties::values() const {
  std::map<std::string, double> by_name;
  for (const Term& term : terms_) by_name[term.name] += term.loss.item();
  return by_name;
}

}  // namespace heed::nn
