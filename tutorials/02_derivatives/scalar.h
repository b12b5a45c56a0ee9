// Scalar: a number that remembers how it was computed, so that it can be differentiated. Reverse mode in a hundred
// lines.
//
//   y = f(x1, x2)   an edge leads from y to each input x, and holds the local derivative dy/dx
//   dL/dx = sum over every y that used x of  dL/dy * dy/dx                                          (the chain rule)
//
// backward(L) visits each number once, and only after all numbers that used it, so that its sum is complete.
// Sources: a program as a list of elementary operations, R. E. Wengert 1964; the pass backward through this list,
// S. Linnainmaa 1970.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace derivatives {

struct Node;
struct Edge {
  std::shared_ptr<Node> input;
  double local;  // d(the number that holds this edge) / d(input)
};
struct Node {
  const char* operation;  // "leaf", "+", "tanh", ...
  double value;
  std::vector<Edge> edges;  // one for each input; none for a leaf
  std::uint64_t number;     // counts up, so it is larger than the numbers of the inputs
  double grad = 0;          // dL/d(this), after backward(L)

  Node(const char* op, double v, std::vector<Edge> made_of)
      : operation(op), value(v), edges(std::move(made_of)), number(next()++) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  // Frees its inputs in a loop. Without it, freeing a chain of a million numbers would recurse a million calls deep.
  ~Node() {
    std::vector<Edge> unowned = std::move(edges);
    while (!unowned.empty()) {
      Edge edge = std::move(unowned.back());
      unowned.pop_back();
      if (edge.input.use_count() > 1) continue;
      for (Edge& below : edge.input->edges) unowned.push_back(std::move(below));
      edge.input->edges.clear();
    }
  }
  static std::uint64_t& next() {
    thread_local std::uint64_t count = 0;
    return count;
  }
};

// A handle on a node, with which expressions are written. Copies refer to the same node.
class Scalar {
 public:
  Scalar(double value = 0) : Scalar("leaf", value, {}) {}  // NOLINT: 2 * x shall work
  Scalar(const char* operation, double value, std::vector<Edge> edges)
      : node_(std::make_shared<Node>(operation, value, std::move(edges))) {}
  double value() const { return node_->value; }
  double grad() const { return node_->grad; }
  const std::shared_ptr<Node>& node() const { return node_; }

 private:
  std::shared_ptr<Node> node_;
};

// --- the operations: the value, and for each input an edge with the local derivative ---------------------------------
inline Scalar operator+(const Scalar& a, const Scalar& b) {
  return {"+", a.value() + b.value(), {{a.node(), 1}, {b.node(), 1}}};
}
inline Scalar operator-(const Scalar& a, const Scalar& b) {
  return {"-", a.value() - b.value(), {{a.node(), 1}, {b.node(), -1}}};
}
inline Scalar operator*(const Scalar& a, const Scalar& b) {
  return {"*", a.value() * b.value(), {{a.node(), b.value()}, {b.node(), a.value()}}};
}
inline Scalar operator/(const Scalar& a, const Scalar& b) {
  double y = a.value() / b.value();
  return {"/", y, {{a.node(), 1 / b.value()}, {b.node(), -y / b.value()}}};
}
inline Scalar operator-(const Scalar& x) { return {"-", -x.value(), {{x.node(), -1}}}; }
inline Scalar exp(const Scalar& x) {
  double y = std::exp(x.value());
  return {"exp", y, {{x.node(), y}}};
}
inline Scalar log(const Scalar& x) { return {"log", std::log(x.value()), {{x.node(), 1 / x.value()}}}; }
inline Scalar tanh(const Scalar& x) {
  double y = std::tanh(x.value());
  return {"tanh", y, {{x.node(), 1 - y * y}}};
}

// --- backward --------------------------------------------------------------------------------------------------------
// All numbers from which `root` was computed, each once, in a topological order: a number comes after all numbers that
// used it. A number is created after its inputs, so "newest first" is such an order.
inline std::vector<Node*> topological_order(const Scalar& root) {
  std::vector<Node*> order{root.node().get()};
  std::unordered_set<Node*> seen{root.node().get()};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges)
      if (seen.insert(edge.input.get()).second) order.push_back(edge.input.get());
  std::sort(order.begin(), order.end(), [](const Node* a, const Node* b) { return a->number > b->number; });
  return order;
}

// Sets .grad of all numbers from which `root` was computed to d(root)/d(number). Returns the number of visits.
inline std::uint64_t backward(const Scalar& root) {
  std::vector<Node*> order = topological_order(root);
  for (Node* node : order) node->grad = 0;
  root.node()->grad = 1;
  for (Node* node : order)
    for (const Edge& edge : node->edges) edge.input->grad += edge.local * node->grad;
  return order.size();
}

}  // namespace derivatives
