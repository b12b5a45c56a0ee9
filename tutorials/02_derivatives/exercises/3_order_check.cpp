// Hints, common mistakes and checks of exercise 02.3.
#include "tutorials/02_derivatives/exercises/3_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using derivatives::Edge, derivatives::Node, derivatives::Scalar;
using Order = std::vector<Node*>;

Order breadth_first(Node* root) {
  Order order{root};
  std::unordered_set<Node*> seen{root};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges)
      if (seen.insert(edge.input.get()).second) order.push_back(edge.input.get());
  return order;
}

// Depth first: a node is written down before its inputs, or after them.
void depth_first(Node* node, bool before, std::unordered_set<Node*>& seen, Order& order) {
  if (!seen.insert(node).second) return;
  if (before) order.push_back(node);
  for (const Edge& edge : node->edges) depth_first(edge.input.get(), before, seen, order);
  if (!before) order.push_back(node);
}
Order depth_first(Node* root, bool before) {
  Order order;
  std::unordered_set<Node*> seen;
  depth_first(root, before, seen, order);
  return order;
}
Order right_order(Node* root) {
  Order order = depth_first(root, /*before=*/false);
  std::ranges::reverse(order);
  return order;
}

// Kahn's algorithm, which counts edges; here what counts may be users instead: two edges of one node count once.
Order by_counting(Node* root, bool count_users, bool lower_users) {
  auto for_each_input = [](const Node* node, bool once, auto&& action) {
    std::unordered_set<Node*> done;
    for (const Edge& edge : node->edges)
      if (done.insert(edge.input.get()).second || !once) action(edge.input.get());
  };
  std::unordered_map<Node*, int> waiting;
  for (Node* node : breadth_first(root)) for_each_input(node, count_users, [&](Node* input) { ++waiting[input]; });
  Order order{root};
  for (std::size_t i = 0; i < order.size(); ++i)
    for_each_input(order[i], lower_users, [&](Node* input) {
      if (--waiting[input] == 0) order.push_back(input);
    });
  return order;
}

const std::vector<app::Mistake<decltype(&mine::order_of)>> mistakes{
    {"The gap is still open: breadth first puts a node as early as its shortest path, but the longest path decides",
     breadth_first},
    {"Depth first, with each node before its inputs, follows the first path to a node: its other users may come later",
     [](Node* root) { return depth_first(root, /*before=*/true); }},
    {"Your order is the wrong way round, inputs before their users: reverse it, so that the root is first",
     [](Node* root) { return depth_first(root, /*before=*/false); }},
    {"You count users but lower the count per edge: a * a has two edges to a, so a count reaches 0 too early",
     [](Node* root) { return by_counting(root, /*count_users=*/true, /*lower_users=*/false); }},
    {"You count edges but lower the count once per user: after a * a the count of a never reaches 0",
     [](Node* root) { return by_counting(root, /*count_users=*/false, /*lower_users=*/true); }},
    {"The root is missing: it is the first node of the order",
     [](Node* root) {
       Order order = right_order(root);
       order.erase(order.begin());
       return order;
     }},
    {"The leaves are missing: a node without edges belongs to the order too, since its gradient is what is wanted",
     [](Node* root) {
       Order order = right_order(root);
       std::erase_if(order, [](const Node* node) { return node->edges.empty(); });
       return order;
     }},
    {"You move a node to the end when you reach it again, but not what it was made of: its inputs must move too",
     [](Node* root) {
       Order order{root};
       std::unordered_set<Node*> done;
       for (std::size_t i = 0; i < order.size(); ++i) {
         Node* node = order[i];
         if (!done.insert(node).second) continue;
         for (const Edge& edge : node->edges) {
           const auto found = std::ranges::find(order, edge.input.get());
           if (found != order.end() && std::distance(order.begin(), found) > static_cast<std::ptrdiff_t>(i))
             order.erase(found);
           if (!done.contains(edge.input.get())) order.push_back(edge.input.get());
         }
       }
       return order;
     }},
};

// How many edges lead to a node that does not come later in the order.
double wrong_edges(const Order& order) {
  std::unordered_map<const Node*, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  double wrong = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges) {
      const auto found = place.find(edge.input.get());
      if (found == place.end() || found->second <= i) ++wrong;
    }
  return wrong;
}

void examine(app::Exercise& e, const decltype(&mine::order_of)& order_of) {
  auto judge = [&](const std::string& what, const Scalar& root) {
    const Order all = derivatives::topological_order(root);
    for (Node* node : all) node->number = 0;
    const Order order = order_of(root.node().get());
    const bool complete = e.check("in " + what + " the length of your order", static_cast<double>(order.size()),
                                  static_cast<double>(all.size()), 0);
    e.check("in " + what + " the number of edges to a node that is not later", wrong_edges(order), 0, 0);
    return complete ? order : Order{};
  };
  const Scalar a = 3;
  const Scalar b = a + a;
  judge("b = a + a; c = b + b", b + b);
  judge("y = tanh(ab + a) e^b", derivatives::drawn(Scalar(2.0), Scalar(-0.5)));

  const Scalar x = 3;
  const Scalar y = x + x * x * x;
  const Order order = judge("y = x + x x x", y);
  for (Node* node : order) node->grad = 0;
  if (!order.empty()) order[0]->grad = 1;
  for (Node* node : order)
    for (const Edge& edge : node->edges) edge.input->grad += edge.local * node->grad;
  e.check("dy/dx of y = x + x x x at x = 3", x.grad(), 28, 0);

  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    judge(fmt::format("random expression {}", seed),
          derivatives::random_expression(std::vector<Scalar>{0.5, -1.0, 1.5}, seed, 30));
  Scalar chain = 1;  // following every path would take 2^60 steps
  for (int i = 0; i < 60; ++i) chain = chain + chain;
  judge("a chain of 60 doublings", chain);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("02", 3, "A topological order");
  e.hint("First count, for each node that can be reached, how many edges lead to it.");
  e.hint("A node may enter the order when all edges that lead to it start at nodes that are in the order already.");
  e.hint("Start with the root. A node that enters lowers the count of its input by one for each of its edges.");
  e.hint("An input whose count is now 0 is ready: append it to the order.");
  e.insight(
      "Backward may visit a node once its gradient is complete, and it is complete when all its users were visited.\n"
      "With this order backward costs one visit per node, although the number of paths may be 2^60.",
      "./heed run 03");
  return e.run(argc, argv, mine::order_of, examine, mistakes);
}
