#include "autograd/variable.h"

#include <fmt/format.h>

#include "autograd/hooks.h"
#include "autograd/node.h"
#include "tensor/allocator.h"

namespace heed {

void Variable::Impl::destroy(Impl* impl) noexcept {
  impl->~Impl();
  deallocate(impl, sizeof(Impl));
}

Variable::Variable(Tensor value) : impl_(Ref<Impl>::made(new (allocate(sizeof(Impl))) Impl())) {
  impl_->value = std::move(value);
}
Variable::Variable(Tensor value, RequiresGrad wanted) : Variable(std::move(value)) {
  set_requires_grad(wanted == kRequiresGrad);
}
Variable::Variable(Tensor value, Ref<Node> node, uint32_t index) : Variable(std::move(value)) {
  impl_->node = std::move(node);
  impl_->index = index;
}

void Variable::refuse_undefined() { throw GraphError("value: the variable must be defined; got an undefined one"); }

bool Variable::is_leaf() const { return !requires_grad() || impl_->node->is_leaf(); }

namespace {
LeafNode& leaf_of(const Variable& v, const char* operation) {
  if (!v.requires_grad() || !v.is_leaf())
    throw GraphError(fmt::format("{}: only a leaf that requires a gradient has one to set; got {}", operation,
                                 v.requires_grad() ? "a value made by an operation" : "a constant"));
  return static_cast<LeafNode&>(*v.node());
}
}  // namespace

Variable& Variable::set_requires_grad(bool wanted) {
  if (!is_leaf())
    throw GraphError(
        "set_requires_grad: only a leaf can be changed; got a value made by an operation; hint: detach() it");
  if (wanted && !is_float(dtype()))
    throw DTypeError(fmt::format("set_requires_grad: only f32 and f64 have gradients; got {}", name_of(dtype())));
  if (wanted != requires_grad())
    impl_->node = wanted ? Node::make<LeafNode>("leaf", 0, {&impl_->value, 1}) : Ref<Node>();
  return *this;
}

Tensor Variable::grad() const {
  if (!requires_grad()) return {};
  if (is_leaf()) return static_cast<LeafNode&>(*node()).grad;
  return node()->hooks ? node()->hooks->retained[index()] : Tensor();
}

void Variable::set_grad(Tensor grad) {
  LeafNode& leaf = leaf_of(*this, "set_grad");
  if (grad.defined() && (!(grad.shape() == shape()) || grad.dtype() != dtype()))
    throw ShapeError(fmt::format("set_grad: the gradient must have the value's shape and dtype; got {} {} for {} {}",
                                 name_of(grad.dtype()), to_string(grad.shape()), name_of(dtype()), to_string(shape())));
  bool own = !grad.defined() || (grad.storage().owners() == 1 && grad.is_contiguous());  // the next pass writes into it
  leaf.grad = own ? std::move(grad) : grad.clone();
}

void Variable::zero_grad() {
  if (is_leaf()) return static_cast<void>(leaf_of(*this, "zero_grad").grad = {});
  if (node()->hooks) node()->hooks->retained[index()] = {};
}

void Variable::retain_grad() {
  if (!requires_grad()) throw GraphError("retain_grad: the value must require a gradient; got a constant");
  if (is_leaf()) return;
  Hooks::of(*node()).wanted[index()] = true;
}

void Variable::on_grad(std::function<Variable(const Variable&)> hook) {
  if (!requires_grad()) throw GraphError("on_grad: the value must require a gradient; got a constant");
  Hooks::of(*node()).calls.push_back({index(), std::move(hook)});
}

void Variable::set_value(Tensor value) {
  if (!is_leaf()) throw GraphError("set_value: only a leaf's value can be replaced; got a value made by an operation");
  if (!impl_ || !value.defined())
    throw GraphError(fmt::format("set_value: the variable and its value must be defined; got {} undefined",
                                 impl_ ? "a value" : "a variable"));
  if (requires_grad() && !is_float(value.dtype()))
    throw DTypeError(fmt::format("set_value: only f32 and f64 have gradients; got {}", name_of(value.dtype())));
  if (requires_grad()) {
    LeafNode& leaf = leaf_of(*this, "set_value");
    leaf.outputs()[0] = Output(value);
    if (leaf.grad.defined() && (leaf.grad.dtype() != value.dtype() || !(leaf.grad.shape() == value.shape())))
      leaf.grad = {};
  }
  impl_->value = std::move(value);
  ++impl_->epoch;
}

}  // namespace heed
