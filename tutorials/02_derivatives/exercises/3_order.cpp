#include "tutorials/02_derivatives/exercises/3_order.h"

#include <unordered_map>
#include <unordered_set>

namespace mine {

using derivatives::Edge, derivatives::Node;

std::vector<Node*> order_of(Node* root) {
  // ---- the gap: an order in which each node comes after all nodes that use it ----
  std::vector<Node*> order{root};
  std::unordered_set<Node*> seen{root};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges)
      if (seen.insert(edge.input.get()).second) order.push_back(edge.input.get());
  return order;
  // ---- end of the gap ----
}

}  // namespace mine
