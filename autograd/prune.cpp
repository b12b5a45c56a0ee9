#include "autograd/prune.h"

#include <algorithm>

namespace heed {

std::unordered_set<const Node*> nodes_leading_to(const std::vector<Variable>& inputs,
                                                 const std::vector<Variable>& outputs) {
  std::unordered_set<const Node*> seen, leading;
  std::vector<const Node*> nodes;  // all that the outputs were made of
  auto meet = [&](const Ref<Node>& node) {
    if (node && seen.insert(node.get()).second) nodes.push_back(node.get());
  };
  for (const Variable& y : outputs)
    if (y.requires_grad()) meet(y.node());
  for (size_t n = 0; n < nodes.size(); ++n)
    for (const Edge& e : nodes[n]->edges()) meet(e.node);

  for (const Variable& x : inputs) leading.insert(x.node().get());
  std::sort(nodes.begin(), nodes.end(), [](auto* a, auto* b) { return a->depth < b->depth; });  // inputs first
  for (const Node* n : nodes) {
    bool leads = !n->is_leaf() && n->released();
    for (const Edge& e : n->edges()) leads = leads || (e.node && leading.count(e.node.get()) != 0);
    if (leads) leading.insert(n);
  }
  return leading;
}

}  // namespace heed
