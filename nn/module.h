// Module: an object with parameters. Its members are plain values, and one function, visit, names them:
//
//   struct Linear : Module {
//     Variable weight, bias;
//     void visit(Visitor& v) { v.parameter("weight", weight); v.parameter("bias", bias); }
//   };
//
// Everything that handles modules uniformly is built on visit: listing and counting parameters, switching between
// training and evaluation, saving, loading, changing the dtype, giving each module its path. Modules are move-only;
// clone() makes a deep copy.
//
// Threads: calling a module in evaluation mode (after set_training(m, false), or while an Evaluating exists) changes
// nothing in it, so several threads may call one module at once. In training mode, dropout and sampling advance the
// module's generators, so each thread needs its own module. Visiting, loading, converting and adding hooks modify it.
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

// Receives a named result of a module's call ("output", "annotations", "weights") and may return a value that replaces
// it. Returning an undefined Variable keeps the result. To receive the gradient of the result, call on_grad on it.
using OutputHook = std::function<Variable(std::string_view name, const Variable& value)>;

namespace detail {
inline constinit thread_local bool evaluating = false;
}
// While an Evaluating exists, every module that this thread calls runs in evaluation mode, whatever its `training`
// says: no dropout, no sampling. The modules themselves are not modified.
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

  bool training = true;  // changed by set_training; a call asks trains()
  bool trains() const { return training && !detail::evaluating; }
  PathId path = 0;                       // "encoder.layers.0", after assign_paths has visited the root
  std::vector<OutputHook> output_hooks;  // called in order for each result; a clone has none

 protected:
  // Every call of a module begins with a Call. It enters the module's path and passes the results to the hooks.
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
  virtual void parameter(std::string_view, Variable&) {}   // learned; may be undefined (for example, no bias)
  virtual void buffer(std::string_view, Tensor&) {}        // saved, not learned
  virtual void generator(std::string_view, Generator&) {}  // saved with a training run, so that the run resumes exactly
  // An empty name adds no prefix: a wrapper with one child then gives the child's names as its own.
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
  std::vector<Variable*> members;  // where the parameters are kept
  std::vector<std::pair<std::string, Tensor*>> buffers;
  std::vector<std::pair<std::string, Generator*>> generators;
  std::vector<Module*> modules;
  void parameter(std::string_view name, Variable& p) override {
    if (p.defined()) parameters.push_back({full(name), p}), members.push_back(&p);
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
void load(const Collector& into, io::SafeTensors file, const std::string& what);
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

// Every parameter with its name ("encoder.weight_ih_l0"). A tied parameter is listed once, under its first name.
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
// Gives each module its path, so that errors, pictures, profiles and Observe can name it.
template <class M>
void assign_paths(M& root, std::string_view name = "") {
  detail::PathGiver giver(name.empty() ? 0 : extend_path(0, name));
  begin(giver, root);
  root.visit(giver);
}
// Copies of the current parameters and buffers, under their names (a tied parameter under each of its names).
template <class M>
io::SafeTensors save_state(const M& module) {
  return detail::save(detail::collect(const_cast<M&>(module)));  // visit only lists them
}
// IoError if a tensor is missing or unexpected, has another shape or element type (floats are converted to the model's
// dtype), or if the values under the names of a tied parameter differ. The message names `what` and the tensors, and
// the module stays as it was. A tensor that only `file` holds is not copied, but becomes the parameter's value: move a
// file in that is not needed any more.
template <class M>
void load_state(M& module, io::SafeTensors file, const std::string& what) {
  detail::load(detail::collect(module), std::move(file), what);
}
// The positions of the module's random generators, as metadata "<name>": "<seed> <offset>". They belong to the state of
// a training run, not of a model.
template <class M>
io::SafeTensors save_generators(M& module) {
  return detail::save_generators(detail::collect(module));
}
template <class M>
void load_generators(M& module, const io::SafeTensors& file, const std::string& what) {
  detail::load_generators(detail::collect(module), file, what);
}
// The same with a file of the module alone.
template <class M>
void save(const M& module, const std::string& path) {
  io::save_safetensors(path, save_state(module));
}
template <class M>
void load(M& module, const std::string& path) {
  load_state(module, io::load_safetensors(path), path);
}
template <class M>
concept MadeFromOptions = requires(const M& module, Generator& rng) {
  M(module.options, rng);
};
template <class M>
concept Cloneable = MadeFromOptions<M> || requires(M& module) {
  M(module.clone());
};
// A deep copy: a new module from the same options, with the same values; or what the module's own clone() returns.
// Parameters that are tied in the module are tied in the copy.
template <Cloneable M>
M clone(M& module) {
  if constexpr (MadeFromOptions<M>) {
    Generator unused(0);
    M copy(module.options, unused);
    detail::copy_values(detail::collect(module), detail::collect(copy));
    return copy;
  } else {
    return module.clone();
  }
}

}  // namespace heed::nn
