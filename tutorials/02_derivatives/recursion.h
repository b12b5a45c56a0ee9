// Backward as one first thinks of it: a number that receives a gradient hands it on to its inputs, recursively. On a
// tree, where every number is used once, all of these are right. Where a number is used twice (b = a + a; c = b + b,
// dc/da = 4) the first two are wrong, and the third is right but walks every path: 2^n of them through n doublings.
// Each returns the visits it made.
#pragma once

#include <unordered_set>

#include "tutorials/02_derivatives/scalar.h"

namespace derivatives {

// Wrong: hands on all that it holds each time that something arrives, so what came first is handed on again.
inline std::uint64_t hand_on_everything(Node& y) {
  std::uint64_t visits = 1;
  for (const Edge& edge : y.edges) {
    edge.input->grad += edge.local * y.grad;
    visits += hand_on_everything(*edge.input);
  }
  return visits;
}

// Wrong: hands on once, the first time that it is reached, so what arrives later is never handed on.
inline std::uint64_t hand_on_once(Node& y, std::unordered_set<Node*>& done) {
  if (!done.insert(&y).second) return 0;
  std::uint64_t visits = 1;
  for (const Edge& edge : y.edges) {
    edge.input->grad += edge.local * y.grad;
    visits += hand_on_once(*edge.input, done);
  }
  return visits;
}

// Right: hands on only what has just arrived. That is the sum over all paths of the products along them.
inline std::uint64_t hand_on_news(Node& y, double news) {
  std::uint64_t visits = 1;
  y.grad += news;
  for (const Edge& edge : y.edges) visits += hand_on_news(*edge.input, edge.local * news);
  return visits;
}

enum class Recursion { everything, once, news };

inline std::uint64_t backward_by(Recursion kind, const Scalar& root) {
  for (Node* node : topological_order(root)) node->grad = 0;
  std::unordered_set<Node*> done;
  if (kind == Recursion::news) return hand_on_news(*root.node(), 1);
  root.node()->grad = 1;
  return kind == Recursion::everything ? hand_on_everything(*root.node()) : hand_on_once(*root.node(), done);
}

}  // namespace derivatives
