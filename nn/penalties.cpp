#include "nn/penalties.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops_arithmetic.h"

namespace heed::nn {
namespace {
Penalties*& innermost_penalties() {
  thread_local Penalties* collector = nullptr;
  return collector;
}
}  // namespace

void to_shares(std::vector<BatchShares>& counts) {
  for (size_t over = 0; over < BatchShares().size(); ++over) {
    double all = 0;
    for (const BatchShares& batch : counts) all += batch[over];
    for (BatchShares& batch : counts) batch[over] = counts.size() == 1 ? 1 : all > 0 ? batch[over] / all : 0;
  }
}

Penalties::Penalties(const BatchShares& shares) : shares_(shares), scope_(innermost_penalties(), this) {}
bool Penalties::active() { return innermost_penalties() != nullptr; }

void Penalties::add(const std::string& name, const Variable& loss, double weight, MeanOver over) {
  receive({name, loss, over}, weight);
}
void Penalties::add_once(const void* owner, const std::string& name, const Variable& loss, double weight) {
  receive({name, loss, MeanOver::nothing, owner}, weight);
}
void Penalties::add_again(const Term& term) { receive(term, 1); }

void Penalties::receive(Term term, double weight) {
  if (!active()) return;
  if (!(weight >= 0) || !std::isfinite(weight))
    throw ValueError(fmt::format("penalty: the weight must be at least 0 and finite; got {}", weight));
  if (term.loss.rank() != 0)
    throw ShapeError(
        fmt::format("penalty: the loss must be one number, []; got {}; hint: its mean", to_string(term.loss.shape())));
  std::vector<Term>& terms = innermost_penalties()->terms_;
  for (const Term& known : terms)
    if (term.owner && known.owner == term.owner && known.name == term.name) return;
  weight *= innermost_penalties()->shares_[static_cast<size_t>(term.over)];
  if (weight != 1) term.loss = term.loss * weight;
  terms.push_back(std::move(term));
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
