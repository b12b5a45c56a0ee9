// Variable: a handle on a Tensor that remembers how it was made.
//
//   Variable w(Tensor::ones({3}), Variable::kRequiresGrad);
//   Variable loss = sum(w * w);
//   backward(loss);                 // w.grad() is 2 w
//
// Copies share value, gradient and node. A Variable that the user makes with kRequiresGrad is a leaf: backward adds to
// its .grad, a plain Tensor. The result of a recorded operation refers to the node of that operation. Every other
// Variable is a constant and needs no graph.
//
// Threads: handles may be copied, read and dropped by any thread, and a value may be read by many. Writing a value, its
// .grad or its hooks while another thread uses them is a race, as everywhere in C++.
//
// Ownership: Variable -> its node -> the nodes of its inputs -> what they saved for their gradients. Nothing points
// forward, and a node never owns its output: so there is no cycle.
#pragma once

#include <functional>

#include "tensor/ref.h"
#include "tensor/tensor.h"

namespace heed {

class Node;

class Variable {
 public:
  enum RequiresGrad { kConstant, kRequiresGrad };

  Variable() = default;    // undefined
  Variable(Tensor value);  // NOLINT: a Tensor is a constant wherever one is needed
  Variable(Tensor value, RequiresGrad requires_grad);

  bool defined() const { return static_cast<bool>(impl_); }
  const Tensor& value() const {  // GraphError if undefined
    if (!impl_) refuse_undefined();
    return impl_->value;
  }
  const Shape& shape() const { return value().shape(); }
  int64_t size(int64_t axis) const { return value().size(axis); }
  int rank() const { return value().rank(); }
  int64_t count() const { return value().count(); }
  DType dtype() const { return value().dtype(); }
  double item() const { return value().item(); }

  bool requires_grad() const { return impl_ && impl_->node; }
  bool is_leaf() const;                                  // not made by a recorded operation
  Variable& set_requires_grad(bool wanted);              // leaves only
  Variable detach() const { return Variable(value()); }  // the same value, as a constant

  Tensor grad() const;         // undefined until a backward pass reaches it
  void set_grad(Tensor grad);  // same shape and dtype, or undefined; copied unless it is moved in; leaves only
  void zero_grad();            // forgets .grad, also one kept by retain_grad
  void retain_grad();          // lets a value that an operation made collect .grad, as a leaf does
  // Called once in every backward pass with the summed gradient; may return another one. An undefined result keeps it.
  void on_grad(std::function<Variable(const Variable&)> hook);

  // Replace the value of a leaf: all copies of this handle, those of optimisers too, see the new one. Its dtype may
  // change.
  void set_value(Tensor value);

  // --- for the engine -----------------------------------------------------------------------------------------------
  struct Impl : Counted<Impl> {
    uint32_t index = 0;  // which of the node's outputs
    Tensor value;
    Ref<Node> node;      // the operation that made it, or its LeafNode
    uint32_t epoch = 0;  // raised by set_value
    static void destroy(Impl* impl) noexcept;
  };
  Variable(Tensor value, Ref<Node> node, uint32_t index);
  const Ref<Node>& node() const { return impl_->node; }
  uint32_t index() const { return impl_->index; }
  uint32_t epoch() const { return impl_->epoch; }
  bool same_as(const Variable& other) const { return impl_ == other.impl_; }
  const void* identity() const { return impl_.get(); }
  // Does nobody else hold this handle or its memory?
  bool unique() const { return held_by(1); }
  bool held_by(uint32_t handles) const {  // all handles on the value are these, and no other tensor shares its memory
    return impl_ && impl_->owners() == handles && impl_->value.storage().owners() == 1;
  }

 private:
  [[noreturn]] static void refuse_undefined();
  Ref<Impl> impl_;
};

}  // namespace heed
