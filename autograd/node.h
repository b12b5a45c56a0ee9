// Node: one recorded operation. Its edges lead to the nodes of its inputs, and its payload computes their gradients.
//
//   y = f(a, b)      Variable y -> Node f -> edges -> Node of a, Node of b       what is not tracked has a null edge
//
// clang-format off
//   depth     1 + the depth of the deepest input, 0 for a leaf; backward visits the deepest first,
//             so everything that used a node's outputs has been visited before the node
//   edges     (node, which of its outputs) for each input; a null node means "needs no gradient"
//   outputs   shape and dtype of each output: gradients are checked against them
// clang-format on
//
// One allocation holds a node, its payload, its edges and its outputs. A LeafNode is where edges end; it keeps .grad.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "autograd/variable.h"
#include "tensor/scope.h"

namespace heed {

class Grads;
struct Hooks;  // hooks.h

struct Edge {
  Ref<Node> node;
  uint32_t index = 0;          // which of the node's outputs
  bool may_broadcast = false;  // the operation repeated this input along axes: its gradient is summed over them
};

struct Output {
  LayoutRef layout;
  DType dtype = DType::f32;
  explicit Output(const Tensor& y) : layout(y.shared_layout()), dtype(y.dtype()) {}
  const Shape& shape() const { return layout ? layout->shape : kScalarLayout.shape; }
};

class Node : public Counted<Node> {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  virtual void backward(Grads& grads) = 0;
  virtual void release() { released_ = true; }  // drops what was saved; a second backward then throws a GraphError
  bool released() const { return released_; }
  bool is_leaf() const { return depth == 0; }
  std::span<Edge> edges() const { return {edges_, edge_count_}; }
  std::span<Output> outputs() const { return {reinterpret_cast<Output*>(edges_ + edge_count_), output_count_}; }

  // Makes a node of type N in one block with room for its edges and outputs, which `connect` then fills.
  template <class N, class... Args>
  static Ref<Node> make(const char* name, size_t edges, std::span<const Tensor> outputs, Args&&... args) {
    size_t bytes = sizeof(N) + edges * sizeof(Edge) + outputs.size() * sizeof(Output);
    N* node = new (allocate(bytes)) N(std::forward<Args>(args)...);
    node->name = name;
    node->bytes_ = static_cast<uint32_t>(bytes);
    node->lay_out(reinterpret_cast<Edge*>(node + 1), edges, outputs);
    return Ref<Node>::made(node);
  }
  void connect(size_t i, Edge&& edge) {
    if (edge.node && depth <= edge.node->depth) depth = edge.node->depth + 1;
    edges_[i] = std::move(edge);
  }
  static void destroy(Node* node) noexcept;

  PathId path;                   // the module that recorded it
  const char* name = "";         // a string literal
  std::unique_ptr<Hooks> hooks;  // null for nearly all nodes
  uint32_t depth = 0;
  uint32_t slot = 0;  // where its gradients wait during a pass (backward.cpp)
  union {
    uint64_t mark;      // the recording scope it was made in; while a pass holds gradients for it, that pass's mark
    Node* next_doomed;  // in the list of nodes that wait to be destroyed
  };

 protected:
  Node();
  virtual ~Node();

 private:
  void lay_out(Edge* edges, size_t edge_count, std::span<const Tensor> outputs);

  Edge* edges_ = nullptr;
  uint32_t edge_count_ = 0, output_count_ = 0, bytes_ = 0;
  bool released_ = false;
};

// The payload of an operation is a function object: f(Grads&, dy), or f(Grads&) where there are several outputs.
template <class F>
class LambdaNode final : public Node {
 public:
  explicit LambdaNode(F&& f) : f_(std::move(f)) {}
  ~LambdaNode() override {
    if (!released()) f_.~F();
  }
  void backward(Grads& grads) override;
  void release() override {
    if (!released()) f_.~F();
    Node::release();
  }

 private:
  union {  // destroyed by release()
    F f_;
  };
};

class LeafNode final : public Node {
 public:
  void backward(Grads&) override {}
  Tensor grad;
};

// Each recording scope has a number, and a node stores the number of the scope in which it was made. So checkpoint and
// backward know a node made since they began: node.mark >= id(). Numbers are even and increase; 0 means no scope.
class RecordingScope {
 public:
  RecordingScope();
  uint64_t id() const { return id_; }

 private:
  uint64_t id_;
  ScopedValue<uint64_t> scope_;
};

int64_t live_nodes();  // made minus destroyed by this thread, leaves included

}  // namespace heed
