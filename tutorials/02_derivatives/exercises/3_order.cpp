#include "tutorials/02_derivatives/exercises/3_order.h"

#include <unordered_map>
#include <unordered_set>

namespace mine {

using derivatives::Edge, derivatives::Node;

std::vector<Node*> order_of(Node* root) {
  // ---- the gap: an order in which each node comes after all nodes that use it ----
  // | std::vector<Node*> order{root};
  // | std::unordered_set<Node*> seen{root};
  // | for (std::size_t i = 0; i < order.size(); ++i)
  // |   for (const Edge& edge : order[i]->edges)
  // |     if (seen.insert(edge.input.get()).second) order.push_back(edge.input.get());
  // | return order;
  // ---- filled ----
  std::unordered_map<Node*, int> waiting;  // how many edges lead to a node from nodes that are not in the order yet
  std::vector<Node*> reached{root};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Edge& edge : reached[i]->edges)
      if (waiting[edge.input.get()]++ == 0) reached.push_back(edge.input.get());
  std::vector<Node*> order{root};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges)
      if (--waiting[edge.input.get()] == 0) order.push_back(edge.input.get());
  return order;
  // ---- end of the gap ----
}

}  // namespace mine
