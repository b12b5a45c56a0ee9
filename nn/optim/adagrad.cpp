#include "nn/optim/adagrad.h"

#include "nn/optim/pass.h"

namespace heed::nn {

Adagrad::Adagrad(std::vector<NamedVariable> parameters, const Options& options)
    : Adagrad(std::vector<Group>{{std::move(parameters), options}}) {}
Adagrad::Adagrad(const std::vector<Group>& groups)
    : Optimizer("Adagrad", parameters_of(groups)), options_(options_of(groups)) {
  start();
}

std::vector<const char*> Adagrad::slot_names(size_t) const { return {"sum"}; }
double Adagrad::slot_start(size_t group) const { return options_[group].initial_sum; }

void Adagrad::update(Step& s) {
  const Options& o = options_[s.group];
  dispatch_float(s.w.dtype(), "Adagrad", [&](auto zero) {
    using T = decltype(zero);
    T rate = static_cast<T>(s.learning_rate / (1 + static_cast<double>(s.t - 1) * o.lr_decay));
    constexpr T largest = std::numeric_limits<T>::max();
    T decay = static_cast<T>(o.weight_decay), eps = least_eps<T>(o.epsilon);
    each_vector<T>(memory_of<T, 2>(s.w, s.slots), s.g.data<T>(), s.w.count(), [=](auto& x, auto g) {
      auto d = with_square<T>(g + decay * x[0]);
      auto sum = x[1] + d * d;
      x[1] = where(sum > largest, where(x[1] <= largest, largest, sum), sum);
      x[0] -= rate * d / (vsqrt<T>(x[1]) + eps);
    });
  });
}

}  // namespace heed::nn
