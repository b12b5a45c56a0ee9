#include "nn/optim/optimizer.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "autograd/modes.h"
#include "tensor/profile.h"

namespace heed::nn {

SplitParameters split_parameters(const std::vector<NamedVariable>& parameters,
                                 const std::function<bool(const NamedVariable&)>& wanted) {
  SplitParameters out;
  for (const auto& p : parameters) (wanted(p) ? out.wanted : out.others).push_back(p);
  return out;
}
bool is_matrix(const NamedVariable& parameter) { return parameter.variable.rank() >= 2; }

Optimizer::Optimizer(const char* kind, const std::vector<std::vector<NamedVariable>>& groups)
    : kind_(kind), groups_(groups.size()) {
  std::unordered_map<const void*, std::string> seen;
  std::unordered_set<std::string> names;
  for (size_t g = 0; g < groups.size(); ++g)
    for (const auto& p : groups[g]) {
      if (!p.variable.defined())
        throw ValueError(fmt::format("{}: a parameter must be defined; got {} undefined", kind, p.name));
      if (!p.variable.is_leaf())
        throw ValueError(fmt::format("{}: a parameter must be a leaf; got {}, which an operation made", kind, p.name));
      auto [first, fresh] = seen.emplace(p.variable.identity(), p.name);
      if (!fresh)
        throw ValueError(fmt::format("{}: each parameter must be given once; got {} and {}, which are one", kind,
                                     first->second, p.name));
      if (!names.insert(p.name).second)
        throw ValueError(fmt::format("{}: parameters must have different names; got two called {}", kind, p.name));
      parameters_.push_back(p);
      group_of_.push_back(g);
    }
  if (parameters_.empty()) throw ValueError(fmt::format("{}: needs at least one parameter; got none", kind));
  states_.resize(parameters_.size());
}

void Optimizer::start() {
  own_rates_ = checked_rates();
  learning_rate = own_rates_[0];
}

std::vector<double> Optimizer::checked_rates() {
  std::vector<double> rates;
  for (size_t g = 0; g < groups_; ++g) {
    const std::vector<OptionField> own = fields(g);
    require_options(kind_, own);
    check(g);
    rates.push_back(number_of(own[0]));
  }
  return rates;
}

void Optimizer::require_rate() const {
  if (!(learning_rate >= 0) || std::isinf(learning_rate))
    throw ValueError(fmt::format("{}: the learning rate of a step must be at least 0; got {}", kind_, learning_rate));
}

double Optimizer::slot_start(size_t) const { return 0; }

void Optimizer::make_slots(size_t i) {
  const Tensor& w = parameters_[i].variable.value();
  std::vector<Tensor>& slots = states_[i].slots;
  size_t n = slot_names(group_of_[i]).size();
  bool fits = slots.size() == n && (n == 0 || (slots[0].dtype() == w.dtype() && slots[0].shape() == w.shape()));
  if (fits) return;
  std::vector<Tensor> old = std::move(slots);
  slots.clear();
  for (size_t k = 0; k < n; ++k)  // if the model was converted to another dtype, convert its slots too
    slots.push_back(k < old.size() && old[k].shape() == w.shape()
                        ? old[k].to(w.dtype())
                        : Tensor::full(w.shape(), slot_start(group_of_[i]), w.dtype()));
}

void Optimizer::step() {
  require_rate();
  NoGrad guard;
  Kernel kernel("optimizer", 0);
  std::vector<double> rates(groups_, learning_rate);
  for (size_t g = 1; g < groups_; ++g) rates[g] *= own_rates_[g] / own_rates_[0];
  ++steps_;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor g = parameters_[i].variable.grad();
    if (!g.defined()) continue;
    make_slots(i);
    Tensor w = parameters_[i].variable.value();
    if (!w.is_contiguous())
      throw ValueError(fmt::format("{}: a parameter must be contiguous; got {} {} with strides {}", kind_,
                                   parameters_[i].name, to_string(w.shape()), to_string(w.strides())));
    Step s{w, g.contiguous(), states_[i].slots, group_of_[i], rates[group_of_[i]], ++states_[i].steps};
    update(s);
    w.mark_written("optimizer step");
  }
}

void Optimizer::step(const Schedule& schedule) {
  learning_rate = schedule(steps_ + 1);
  step();
}

void Optimizer::zero_grad() {
  for (auto& p : parameters_) p.variable.zero_grad();
}

}  // namespace heed::nn
