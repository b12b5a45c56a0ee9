#include "nn/optim/sgd.h"

#include <fmt/format.h>

#include "nn/optim/pass.h"

namespace heed::nn {

SGD::SGD(std::vector<NamedVariable> parameters, const Options& options)
    : SGD(std::vector<Group>{{std::move(parameters), options}}) {}
SGD::SGD(const std::vector<Group>& groups) : Optimizer("SGD", parameters_of(groups)), options_(options_of(groups)) {
  start();
}

void SGD::check(size_t group) const {
  const Options& o = options_[group];
  if (o.nesterov && (o.momentum <= 0 || o.dampening != 0))
    throw ValueError(
        fmt::format("SGD: Nesterov needs momentum above 0 and no dampening; got momentum {} and dampening {}",
                    o.momentum, o.dampening));
}
std::vector<const char*> SGD::slot_names(size_t group) const {
  return options_[group].momentum != 0 ? std::vector<const char*>{"momentum"} : std::vector<const char*>{};
}

void SGD::update(Step& s) {
  const Options& o = options_[s.group];
  dispatch_float(s.w.dtype(), "SGD", [&](auto zero) {
    using T = decltype(zero);
    T lr = static_cast<T>(s.learning_rate), m = static_cast<T>(o.momentum), decay = static_cast<T>(o.weight_decay);
    T fresh = static_cast<T>(s.t == 1 ? 1 : 1 - o.dampening);
    if (o.momentum == 0)
      each_vector<T>(memory_of<T, 1>(s.w, s.slots), s.g.data<T>(), s.w.count(),
                     [=](auto& x, auto g) { x[0] -= lr * (g + decay * x[0]); });
    else
      each_vector<T>(memory_of<T, 2>(s.w, s.slots), s.g.data<T>(), s.w.count(),
                     [=, nesterov = o.nesterov](auto& x, auto g) {
                       auto d = g + decay * x[0];
                       x[1] = m * x[1] + fresh * d;
                       x[0] -= lr * (nesterov ? d + m * x[1] : x[1]);
                     });
  });
}

}  // namespace heed::nn
