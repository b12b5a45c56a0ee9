// Sequential: modules and functions in a row. The output of each is the input of the next.
//
//   nn::Sequential net(nn::Linear({.in = 2, .out = 8}, rng), nn::ReLU(), nn::Linear({.in = 8, .out = 1}, rng));
//   Variable y = net(x);                          // parameters 0.weight, 0.bias, 2.weight, 2.bias, as in PyTorch
//   net.child<nn::Linear>(2)->weight.grad();
//
// A child is a module, or anything else that makes a Variable of a Variable, such as a lambda. The first child may also
// take the Tensor itself, as Embedding does with its ids.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops_arithmetic.h"
#include "nn/module.h"

namespace heed::nn {

// The usual activations as children; any other is a lambda: [](const Variable& x) { return elu(x, 0.5); }
struct ReLU {
  Variable operator()(const Variable& x) const { return relu(x); }
};
struct GELU {
  Variable operator()(const Variable& x) const { return gelu(x); }
};
struct SiLU {
  Variable operator()(const Variable& x) const { return silu(x); }
};
struct Tanh {
  Variable operator()(const Variable& x) const { return tanh(x); }
};
struct Sigmoid {
  Variable operator()(const Variable& x) const { return sigmoid(x); }
};

template <class C, class X>
concept MakesVariable = requires(const C& child, const X& x) {
  { child(x) } -> std::convertible_to<Variable>;
};
template <class C>
concept SequentialChild = MakesVariable<C, Variable> || MakesVariable<C, Tensor>;

struct Sequential : Module {
  template <class... Children>
  requires(SequentialChild<Children>&&...) explicit Sequential(Children... children) {
    (push_back(std::move(children)), ...);
  }
  template <SequentialChild C>
  void push_back(C child) {
    children_.push_back(std::make_unique<Held<C>>(std::move(child)));
  }
  size_t size() const { return children_.size(); }
  template <class C>
  C* child(size_t i) {  // nullptr if there is none, or if it is of another type
    auto* held = i < size() ? dynamic_cast<Held<C>*>(children_[i].get()) : nullptr;
    return held ? &held->child : nullptr;
  }

  Variable operator()(const Variable& x) const;
  void visit(Visitor& v);
  // For nn::clone: modules are cloned, other children are copied. ValueError if a child can be neither.
  Sequential clone();

 private:
  struct AnyChild {
    virtual ~AnyChild() = default;
    virtual Variable call(const Variable& x) const = 0;
    virtual void visit(Visitor& v, const std::string& name) = 0;
    virtual std::unique_ptr<AnyChild> clone() = 0;  // null if that is not possible
  };
  template <class C>
  struct Held final : AnyChild {
    explicit Held(C c) : child(std::move(c)) {}
    Variable call(const Variable& x) const override {
      if constexpr (MakesVariable<C, Variable>)
        return child(x);
      else
        return child(x.value());
    }
    void visit(Visitor& v, const std::string& name) override {
      if constexpr (std::derived_from<C, Module>) v.child(name, child);
    }
    std::unique_ptr<AnyChild> clone() override {
      if constexpr (Cloneable<C>)
        return std::make_unique<Held>(nn::clone(child));
      else if constexpr (std::copy_constructible<C>)
        return std::make_unique<Held>(child);
      else
        return nullptr;
    }
    C child;
  };
  std::vector<std::unique_ptr<AnyChild>> children_;
};

}  // namespace heed::nn
