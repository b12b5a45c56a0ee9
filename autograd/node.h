// Node: one recorded operation. Its edges lead to the nodes of its inputs; its payload computes their gradients.
//
//   sequence   larger than that of every node it depends on: the order of backward is "largest first"
//   edges[i]   (node, output index) of input i; a null node means "needs no gradient", so pruning is structural
//   outputs    shape and dtype of each output, to check gradients and to make zeros for outputs nobody used
//
// A LeafNode stands at the end of the edges of a leaf and holds its gradient.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "autograd/small_vector.h"
#include "autograd/variable.h"
#include "tensor/allocator.h"
#include "tensor/scope.h"

namespace heed {

class Grads;

struct Edge {
  Ref<Node> node;
  uint32_t index = 0;
  bool may_broadcast = false;  // the engine sums the gradient over the axes that the operation repeated
};

struct OutputMeta {
  Shape shape;
  DType dtype = DType::f32;
};

class Node {
 public:
  explicit Node(const char* name);
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  virtual void backward(Grads& grads) = 0;
  virtual void release() = 0;  // drop what was saved; a second backward then says so
  virtual bool released() const { return false; }
  virtual bool is_leaf() const { return false; }

  uint64_t refs = 0;
  uint64_t sequence;
  const char* name;  // a string literal
  PathId path;       // the module that recorded it
  SmallVector<Edge, 3> edges;
  SmallVector<OutputMeta, 1> outputs;
  void add_output(const Tensor& y) {
    OutputMeta& meta = outputs.grow();
    meta.shape = y.shape();
    meta.dtype = y.dtype();
  }

  // What only few nodes have: gradients that were asked for, and hooks.
  struct Extras {
    struct Hook {
      uint32_t index;
      std::function<Variable(const Variable&)> call;
    };
    std::vector<Hook> hooks;
    std::vector<Tensor> retained;  // by output; undefined where not asked for
    std::vector<bool> wants;
  };
  std::unique_ptr<Extras> extras;
  Extras& make_extras();

  // Where this node's gradients wait during a pass (see backward.cpp).
  uint64_t pass = 0;
  size_t slot = 0;

  Node* next_doomed = nullptr;               // in the list of nodes waiting to be deleted
  static void destroy(Node* node) noexcept;  // queued, so that a chain of a million nodes needs no deep stack
  static void* operator new(size_t bytes) { return allocate(bytes); }
  static void operator delete(void* p, size_t bytes) noexcept { deallocate(p, bytes); }
};

class LeafNode final : public Node {
 public:
  explicit LeafNode(const Tensor& value) : Node("leaf") { add_output(value); }
  void backward(Grads&) override {}
  void release() override {}
  bool is_leaf() const override { return true; }
  Tensor grad;
};

int64_t live_nodes();      // of this thread, leaves included
uint64_t next_sequence();  // the number that the next node will get

}  // namespace heed
