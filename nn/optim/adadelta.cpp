#include "nn/optim/adadelta.h"

#include "nn/optim/pass.h"

namespace heed::nn {

Adadelta::Adadelta(std::vector<NamedVariable> parameters, const Options& options)
    : Adadelta(std::vector<Group>{{std::move(parameters), options}}) {}
Adadelta::Adadelta(const std::vector<Group>& groups)
    : Optimizer("Adadelta", parameters_of(groups)), options_(options_of(groups)) {
  start();
}

std::vector<const char*> Adadelta::slot_names(size_t) const { return {"square", "delta"}; }

void Adadelta::update(Step& s) {
  const Options& o = options_[s.group];
  dispatch_float(s.w.dtype(), "Adadelta", [&](auto zero) {
    using T = decltype(zero);
    T lr = static_cast<T>(s.learning_rate), rho = static_cast<T>(o.rho), c = static_cast<T>(1 - o.rho);
    T eps = std::max(static_cast<T>(o.epsilon), std::numeric_limits<T>::min());  // inside the root: least_eps squared
    T decay = static_cast<T>(o.weight_decay);
    each_vector<T>(memory_of<T, 3>(s.w, s.slots), s.g.data<T>(), s.w.count(), [=](auto& x, auto g) {
      auto d = with_square<T>(g + decay * x[0]);
      x[1] = rho * x[1] + c * d * d;
      auto u = vsqrt<T>(x[2] + eps) / vsqrt<T>(x[1] + eps) * d;
      x[2] = rho * x[2] + c * u * u;
      x[0] -= lr * u;
    });
  });
}

}  // namespace heed::nn
