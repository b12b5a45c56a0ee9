// Module: a thing with parameters. Its members are plain values, and one function names them:
//
//   struct Linear : Module {
//     Variable weight, bias;
//     void visit(Visitor& v) { v.parameter("weight", weight); v.parameter("bias", bias); }
//   };
//
// Everything that treats modules alike is a client of visit: parameters, counting, training or evaluating, saving,
// loading, changing the dtype, giving each module its path. Modules are move-only; clone() makes a deep copy.
//
// Threads: a call of a module that is evaluated (set_training(m, false), or under Evaluating) writes nothing in it, so
// several threads may call one module at once. While training, dropout and sampling move the module's generators: then
// each thread needs a module of its own. Visiting, loading, converting and hooking a module writes it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/picture.h"
#include "autograd/variable.h"
#include "nn/io/safetensors.h"
#include "tensor/random.h"

namespace heed::nn {

// Sees a named result of a module's call ("output", "annotations", "weights"); may return another value in its place.
// An undefined result keeps it. For the gradient of the result, call on_grad on it.
using OutputHook = std::function<Variable(std::string_view name, const Variable& value)>;

namespace detail {
inline constinit thread_local bool evaluating = false;
}
// While it lives, the modules that this thread calls compute as evaluated ones, whatever their `training` says: nothing
// is dropped and nothing is drawn. The modules themselves are not written.
class Evaluating {
 public:
  Evaluating() : scope_(detail::evaluating, true) {}

 private:
  ScopedValue<bool> scope_;
};

struct Module {
  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;

  bool training = true;  // set_training; a call asks trains()
  bool trains() const { return training && !detail::evaluating; }
  PathId path = 0;                       // "encoder.layers.0" once assign_paths has seen the root
  std::vector<OutputHook> output_hooks;  // called in order for each result; a clone has none

 protected:
  // What every call of a module opens with: it enters the module's path, and shows the results to the hooks.
  //   Variable Linear::operator()(const Variable& x) const {
  //     Call call(*this);
  //     return call.result("output", linear(x, weight, bias));
  //   }
  class Call {
   public:
    explicit Call(const Module& m) : module_(m), scope_(m.path ? m.path : current_path()) {}
    Variable result(std::string_view name, Variable value) const;

   private:
    const Module& module_;
    NameScope scope_;
  };
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void parameter(std::string_view, Variable&) {}   // trained; may be undefined (no bias)
  virtual void buffer(std::string_view, Tensor&) {}        // saved, not trained
  virtual void generator(std::string_view, Generator&) {}  // saved with a training run, so that it resumes exactly
  // An empty name adds nothing: the names of a holder's one child are the holder's own.
  template <class M>
  void child(std::string_view name, M& module) {
    enter(name, module);
    module.visit(*this);
    leave();
  }

 protected:
  virtual void module_entered(Module&) {}
  std::string full(std::string_view name) const { return prefix_ + std::string(name); }

 private:
  void enter(std::string_view name, Module& module);
  void leave();
  std::string prefix_;
  std::vector<size_t> lengths_;
  friend void begin(Visitor&, Module&);
};
inline void begin(Visitor& v, Module& root) { v.module_entered(root); }

namespace detail {
std::vector<NamedVariable> unique(std::vector<NamedVariable> all);

struct Collector : Visitor {
  std::vector<NamedVariable> parameters;
  std::vector<std::pair<std::string, Tensor*>> buffers;
  std::vector<std::pair<std::string, Generator*>> generators;
  std::vector<Module*> modules;
  void parameter(std::string_view name, Variable& p) override {
    if (p.defined()) parameters.push_back({full(name), p});
  }
  void buffer(std::string_view name, Tensor& b) override { buffers.emplace_back(full(name), &b); }
  void generator(std::string_view name, Generator& g) override { generators.emplace_back(full(name), &g); }
  void module_entered(Module& m) override { modules.push_back(&m); }
};
template <class M>
Collector collect(M& module) {
  Collector c;
  begin(c, module);
  module.visit(c);
  return c;
}
void load(const Collector& into, const io::SafeTensors& file, const std::string& what);
io::SafeTensors save(const Collector& from);
void load_generators(const Collector& into, const io::SafeTensors& file, const std::string& what);
io::SafeTensors save_generators(const Collector& from);
void convert(const Collector& c, DType dtype);
void copy_values(const Collector& from, const Collector& to);

struct PathGiver : Visitor {
  explicit PathGiver(PathId root) : root_(root) {}
  void module_entered(Module& m) override;

 private:
  PathId root_;
};
}  // namespace detail

// Every parameter with its name ("encoder.weight_ih_l0"). A tied one is listed once, under its first name.
template <class M>
std::vector<NamedVariable> named_parameters(M& module) {
  return detail::unique(detail::collect(module).parameters);
}
template <class M>
std::vector<Variable> parameters(M& module) {
  std::vector<Variable> out;
  for (auto& p : named_parameters(module)) out.push_back(p.variable);
  return out;
}
template <class M>
int64_t count_parameters(const M& module) {
  int64_t n = 0;
  for (auto& p : named_parameters(const_cast<M&>(module))) n += p.variable.count();  // visit only lists them
  return n;
}
template <class M>
void zero_grad(M& module) {
  for (auto& p : named_parameters(module)) p.variable.zero_grad();
}
template <class M>
void set_training(M& module, bool training) {
  for (Module* m : detail::collect(module).modules) m->training = training;
}
template <class M>
void convert(M& module, DType dtype) {
  detail::convert(detail::collect(module), dtype);
}
// Give each module its path, so that errors, pictures, profiles and Observe can name it.
template <class M>
void assign_paths(M& root, std::string_view name = "") {
  detail::PathGiver giver(name.empty() ? 0 : extend_path(0, name));
  begin(giver, root);
  root.visit(giver);
}
// Copies of the parameters and buffers as they are now, under every one of their names (a tied parameter under all).
template <class M>
io::SafeTensors save_state(const M& module) {
  return detail::save(detail::collect(const_cast<M&>(module)));  // visit only lists them
}
// IoError, naming `what` and the tensors, and the module as it was: some are missing or too many, or of another shape
// or element type (reals become reals of the model's width); tied names that differ.
template <class M>
void load_state(M& module, const io::SafeTensors& file, const std::string& what) {
  detail::load(detail::collect(module), file, what);
}
// Where the module's generators stand: metadata "<name>": "<seed> <offset>". Not part of a model's state, but of a
// run's.
template <class M>
io::SafeTensors save_generators(M& module) {
  return detail::save_generators(detail::collect(module));
}
template <class M>
void load_generators(M& module, const io::SafeTensors& file, const std::string& what) {
  detail::load_generators(detail::collect(module), file, what);
}
// A deep copy: a module made anew from the same options, with the same values.
template <class M>
M clone(M& module) {
  Generator unused(0);
  M copy(module.options, unused);
  detail::copy_values(detail::collect(module), detail::collect(copy));
  return copy;
}

}  // namespace heed::nn
