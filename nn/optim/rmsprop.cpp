#include "nn/optim/rmsprop.h"

#include "nn/optim/pass.h"

namespace heed::nn {

RMSprop::RMSprop(std::vector<NamedVariable> parameters, const Options& options)
    : RMSprop(std::vector<Group>{{std::move(parameters), options}}) {}
RMSprop::RMSprop(const std::vector<Group>& groups)
    : Optimizer("RMSprop", parameters_of(groups)), options_(options_of(groups)) {
  start();
}

std::vector<const char*> RMSprop::slot_names(size_t group) const {
  std::vector<const char*> names{"square"};
  if (options_[group].centered) names = {"variance", "mean"};
  if (options_[group].momentum != 0) names.push_back("momentum");
  return names;
}

void RMSprop::update(Step& s) {
  const Options& o = options_[s.group];
  dispatch_float(s.w.dtype(), "RMSprop", [&](auto zero) {
    using T = decltype(zero);
    T lr = static_cast<T>(s.learning_rate), a = static_cast<T>(o.alpha), c = static_cast<T>(1 - o.alpha);
    T eps = least_eps<T>(o.epsilon), momentum = static_cast<T>(o.momentum), decay = static_cast<T>(o.weight_decay);
    const T* g = s.g.data<T>();
    int64_t n = s.w.count();
    auto plain = [=](auto w, auto& square, auto g_) {  // u
      auto d = with_square<T>(g_ + decay * w);
      square = a * square + c * d * d;
      return d / (vsqrt<T>(square) + eps);
    };
    auto centered = [=](auto w, auto& variance, auto& mean, auto g_) {  // u
      auto d = with_square<T>(g_ + decay * w), away = d - mean;
      variance = a * (variance + c * away * away);
      mean = mean + c * away;
      return d / (vsqrt<T>(variance) + eps);
    };
    auto move = [=](auto& w, auto& v, auto u) {
      v = momentum * v + u;
      w -= lr * v;
    };
    if (o.centered && o.momentum != 0)
      each_vector<T>(memory_of<T, 4>(s.w, s.slots), g, n,
                     [=](auto& x, auto g_) { move(x[0], x[3], centered(x[0], x[1], x[2], g_)); });
    else if (o.centered)
      each_vector<T>(memory_of<T, 3>(s.w, s.slots), g, n,
                     [=](auto& x, auto g_) { x[0] -= lr * centered(x[0], x[1], x[2], g_); });
    else if (o.momentum != 0)
      each_vector<T>(memory_of<T, 3>(s.w, s.slots), g, n,
                     [=](auto& x, auto g_) { move(x[0], x[2], plain(x[0], x[1], g_)); });
    else
      each_vector<T>(memory_of<T, 2>(s.w, s.slots), g, n,
                     [=](auto& x, auto g_) { x[0] -= lr * plain(x[0], x[1], g_); });
  });
}

}  // namespace heed::nn
