#include "nn/optim/optimizer.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "autograd/modes.h"
#include "tensor/elementwise.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

namespace heed::nn {

Optimizer::Optimizer(std::vector<NamedVariable> parameters, double lr)
    : learning_rate(lr), parameters_(std::move(parameters)), states_(parameters_.size()) {
  if (!(lr > 0) || std::isinf(lr))
    throw ValueError(fmt::format("optimizer: the learning rate must be positive; got {}", lr));
}

void Optimizer::make_slots(size_t i) {
  const Tensor& w = parameters_[i].variable.value();
  std::vector<Tensor>& slots = states_[i].slots;
  size_t n = slot_names().size();
  bool fits = slots.size() == n && (n == 0 || (slots[0].dtype() == w.dtype() && slots[0].shape() == w.shape()));
  if (fits) return;
  std::vector<Tensor> old = std::move(slots);
  slots.clear();
  for (size_t k = 0; k < n; ++k)  // a model moved to f64 takes its averages along
    slots.push_back(k < old.size() && old[k].shape() == w.shape() ? old[k].to(w.dtype())
                                                                  : Tensor::zeros(w.shape(), w.dtype()));
}

void Optimizer::step() {
  NoGrad guard;
  Kernel kernel("optimizer", 0);
  ++steps_;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor g = parameters_[i].variable.grad();
    if (!g.defined()) continue;
    make_slots(i);
    Tensor w = parameters_[i].variable.value();
    if (!w.is_contiguous()) throw ValueError(fmt::format("optimizer: {} must be contiguous", parameters_[i].name));
    update(w, g.contiguous(), states_[i].slots, ++states_[i].steps);
    w.mark_written("optimizer step");
  }
}

void Optimizer::zero_grad() {
  for (auto& p : parameters_) p.variable.zero_grad();
}

io::SafeTensors Optimizer::save_state() const {
  io::SafeTensors file;
  file.metadata["steps"] = std::to_string(steps_);
  auto names = slot_names();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto& [name, variable] = parameters_[i];
    if (states_[i].steps != steps_) file.metadata["steps." + name] = std::to_string(states_[i].steps);
    for (size_t k = 0; k < states_[i].slots.size(); ++k)
      file.tensors.emplace_back(fmt::format("{}.{}", names[k], name), states_[i].slots[k].clone());
  }
  return file;
}

namespace {
// A number of steps in the metadata, or -1.
int64_t count_at(const io::SafeTensors& file, const std::string& key) {
  auto found = file.metadata.find(key);
  bool digits = found != file.metadata.end() && !found->second.empty() && found->second.size() <= 18 &&
                found->second.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoll(found->second) : -1;
}
}  // namespace

void Optimizer::load_state(const io::SafeTensors& file, const std::string& what) {
  int64_t steps = count_at(file, "steps");
  if (steps < 0) throw IoError(fmt::format("load: \"{}\": holds no optimiser state (no number of steps)", what));
  std::vector<State> states(parameters_.size());
  std::unordered_set<const Tensor*> used;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto& [name, variable] = parameters_[i];
    states[i].steps = file.metadata.count("steps." + name) ? count_at(file, "steps." + name) : steps;
    if (states[i].steps < 0 || states[i].steps > steps)
      throw IoError(fmt::format("load: \"{}\": steps.{} must be a number of at most {}", what, name, steps));
    if (states[i].steps == 0) continue;  // never had a gradient
    for (const char* slot : slot_names()) {
      const Tensor* t = file.find(fmt::format("{}.{}", slot, name));
      if (!t)
        throw IoError(fmt::format("load: \"{}\": the tensor {}.{} is missing; hint: was it saved by another optimiser?",
                                  what, slot, name));
      if (!(t->shape() == variable.shape()))
        throw IoError(fmt::format("load: \"{}\": {}.{} must have the parameter's shape; got {} for {}", what, slot,
                                  name, to_string(t->shape()), to_string(variable.shape())));
      used.insert(t);
      states[i].slots.push_back(t->to(variable.dtype()).clone());
    }
  }
  for (const auto& [name, t] : file.tensors)
    if (!used.count(&t))
      throw IoError(fmt::format("load: \"{}\": the tensor {} does not belong to this optimiser", what, name));
  states_ = std::move(states);
  steps_ = steps;
}

namespace {
template <class F>
void each_element(int64_t n, const F& f) {
  parallel_for(0, n, 32768, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}
}  // namespace

SGD::SGD(std::vector<NamedVariable> parameters, const Options& o)
    : Optimizer(std::move(parameters), o.learning_rate), options_(o) {
  if (o.nesterov && (o.momentum <= 0 || o.dampening != 0))
    throw ValueError("SGD: Nesterov needs momentum above 0 and no dampening");
}
std::vector<const char*> SGD::slot_names() const {
  return options_.momentum != 0 ? std::vector<const char*>{"momentum"} : std::vector<const char*>{};
}
void SGD::update(Tensor& w, const Tensor& g, std::vector<Tensor>& slots, int64_t t) {
  dispatch_float(w.dtype(), "SGD", [&](auto zero) {
    using T = decltype(zero);
    T lr = static_cast<T>(learning_rate), m = static_cast<T>(options_.momentum),
      decay = static_cast<T>(options_.weight_decay);
    T fresh = static_cast<T>(t == 1 ? 1 : 1 - options_.dampening);  // the first gradient enters whole
    T *pw = w.data<T>(), *pv = slots.empty() ? nullptr : slots[0].data<T>();
    const T* pg = g.data<T>();
    bool nesterov = options_.nesterov;
    each_element(w.count(), [=](int64_t i) {
      T d = pg[i] + decay * pw[i];
      if (pv) {
        pv[i] = m * pv[i] + fresh * d;
        d = nesterov ? d + m * pv[i] : pv[i];
      }
      pw[i] -= lr * d;
    });
  });
}

Adam::Adam(std::vector<NamedVariable> parameters, const Options& o)
    : Optimizer(std::move(parameters), o.learning_rate), options_(o) {
  if (!(o.beta1 >= 0 && o.beta1 < 1 && o.beta2 >= 0 && o.beta2 < 1 && o.epsilon >= 0))
    throw ValueError(fmt::format("Adam: betas must lie in [0, 1) and epsilon be at least 0; got {}, {} and {}", o.beta1,
                                 o.beta2, o.epsilon));
}
std::vector<const char*> Adam::slot_names() const {
  return options_.amsgrad ? std::vector<const char*>{"mean", "square", "largest"}
                          : std::vector<const char*>{"mean", "square"};
}
void Adam::update(Tensor& w, const Tensor& g, std::vector<Tensor>& slots, int64_t t) {
  dispatch_float(w.dtype(), "Adam", [&](auto zero) {
    using T = decltype(zero);
    double correction1 = 1 - std::pow(options_.beta1, static_cast<double>(t));
    double correction2 = 1 - std::pow(options_.beta2, static_cast<double>(t));
    T rate = static_cast<T>(learning_rate / correction1), root = static_cast<T>(1 / std::sqrt(correction2));
    T b1 = static_cast<T>(options_.beta1), b2 = static_cast<T>(options_.beta2), eps = static_cast<T>(options_.epsilon);
    T c1 = static_cast<T>(1 - options_.beta1), c2 = static_cast<T>(1 - options_.beta2);
    T decay = static_cast<T>(options_.weight_decay);
    T *pw = w.data<T>(), *pm = slots[0].data<T>(), *ps = slots[1].data<T>();
    T* top = options_.amsgrad ? slots[2].data<T>() : nullptr;
    const T* pg = g.data<T>();
    if (top)
      each_element(w.count(), [=](int64_t i) {
        T d = pg[i] + decay * pw[i];
        pm[i] = b1 * pm[i] + c1 * d;
        ps[i] = b2 * ps[i] + c2 * d * d;
        top[i] = top[i] > ps[i] ? top[i] : ps[i];
        pw[i] -= rate * pm[i] / (std::sqrt(top[i]) * root + eps);
      });
    else
      each_element(w.count(), [=](int64_t i) {
        T d = pg[i] + decay * pw[i];
        pm[i] = b1 * pm[i] + c1 * d;
        ps[i] = b2 * ps[i] + c2 * d * d;
        pw[i] -= rate * pm[i] / (std::sqrt(ps[i]) * root + eps);
      });
  });
}

double clip_grad_norm(const std::vector<NamedVariable>& parameters, double limit) {
  if (!(limit > 0)) throw ValueError(fmt::format("clip_grad_norm: the limit must be positive; got {}", limit));
  double total = 0;
  for (const auto& p : parameters)
    if (Tensor g = p.variable.grad(); g.defined()) total += sum(square(g)).item();
  double norm = std::sqrt(total), scale = limit / (norm + 1e-6);
  if (scale < 1)
    for (const auto& p : parameters)
      if (Tensor g = p.variable.grad(); g.defined()) scale_into(g, scale);
  return norm;
}

}  // namespace heed::nn
