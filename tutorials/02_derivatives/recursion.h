// Backward as a recursion: a number that receives a gradient passes it on to its inputs at once. All three versions are
// right on a tree, where every number is used once. Where a number is used twice (b = a + a; c = b + b; dc/da = 4), the
// first two are wrong. The third is right, but it follows every path, and n doublings have 2^n paths.
// Each function returns the number of its visits.
#pragma once

#include <unordered_set>

#include "tutorials/02_derivatives/scalar.h"

namespace derivatives {

// Wrong: passes on the whole gradient each time something arrives, so what arrived first is passed on again.
inline std::uint64_t hand_on_everything(Node& y) {
  std::uint64_t visits = 1;
  for (const Edge& edge : y.edges) {
    edge.input->grad += edge.local * y.grad;
    visits += hand_on_everything(*edge.input);
  }
  return visits;
}

// Wrong: passes on once, at the first visit, so what arrives later is never passed on.
inline std::uint64_t hand_on_once(Node& y, std::unordered_set<Node*>& done) {
  if (!done.insert(&y).second) return 0;
  std::uint64_t visits = 1;
  for (const Edge& edge : y.edges) {
    edge.input->grad += edge.local * y.grad;
    visits += hand_on_once(*edge.input, done);
  }
  return visits;
}

// Right: passes on only what has just arrived. The result is a sum over all paths of the product of local derivatives.
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
