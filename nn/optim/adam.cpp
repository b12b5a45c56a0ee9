#include "nn/optim/adam.h"

#include "nn/optim/pass.h"

namespace heed::nn {
namespace {

std::vector<Adam::Group> as_adam(const std::vector<AdamW::Group>& groups) {
  std::vector<Adam::Group> out;
  for (const auto& [parameters, o] : groups)
    out.push_back({parameters, {o.learning_rate, o.beta1, o.beta2, o.epsilon, o.weight_decay, o.amsgrad}});
  return out;
}

}  // namespace

Adam::Adam(std::vector<NamedVariable> parameters, const Options& options)
    : Adam(std::vector<Group>{{std::move(parameters), options}}) {}
Adam::Adam(const std::vector<Group>& groups) : Adam("Adam", groups, Decay::in_gradient) {}
Adam::Adam(const char* kind, const std::vector<Group>& groups, Decay decay)
    : Optimizer(kind, parameters_of(groups)), name_(kind), decay_(decay), options_(options_of(groups)) {
  start();
}
AdamW::AdamW(std::vector<NamedVariable> parameters, const Options& options)
    : AdamW(std::vector<Group>{{std::move(parameters), options}}) {}
AdamW::AdamW(const std::vector<Group>& groups) : Adam("AdamW", as_adam(groups), Decay::decoupled) {}

std::vector<const char*> Adam::slot_names(size_t group) const {
  return options_[group].amsgrad ? std::vector<const char*>{"mean", "square", "largest"}
                                 : std::vector<const char*>{"mean", "square"};
}

void Adam::update(Step& s) {
  const Options& o = options_[s.group];
  auto t = static_cast<double>(s.t);
  double correction1 = 1 - std::pow(o.beta1, t), correction2 = 1 - std::pow(o.beta2, t);
  bool decoupled = decay_ == Decay::decoupled;
  dispatch_float(s.w.dtype(), name_, [&](auto zero) {
    using T = decltype(zero);
    T rate = static_cast<T>(s.learning_rate / correction1), root = static_cast<T>(1 / std::sqrt(correction2));
    T b1 = static_cast<T>(o.beta1), b2 = static_cast<T>(o.beta2), eps = least_eps<T>(o.epsilon, root);
    T c1 = static_cast<T>(1 - o.beta1), c2 = static_cast<T>(1 - o.beta2);
    T decay = static_cast<T>(decoupled ? 0 : o.weight_decay);
    T keep = static_cast<T>(decoupled ? 1 - s.learning_rate * o.weight_decay : 1);
    const T* g = s.g.data<T>();
    auto averages = [=](auto w, auto& mean, auto& square, auto g_) {
      auto d = with_square<T>(g_ + decay * w);
      mean = b1 * mean + c1 * d;
      square = b2 * square + c2 * d * d;
    };
    if (o.amsgrad)
      each_vector<T>(memory_of<T, 4>(s.w, s.slots), g, s.w.count(), [=](auto& x, auto g_) {
        averages(x[0], x[1], x[2], g_);
        x[3] = vmax(x[3], x[2]);
        x[0] = keep * x[0] - rate * x[1] / (vsqrt<T>(x[3]) * root + eps);
      });
    else
      each_vector<T>(memory_of<T, 3>(s.w, s.slots), g, s.w.count(), [=](auto& x, auto g_) {
        averages(x[0], x[1], x[2], g_);
        x[0] = keep * x[0] - rate * x[1] / (vsqrt<T>(x[2]) * root + eps);
      });
  });
}

}  // namespace heed::nn
