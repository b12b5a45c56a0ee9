// Exercise 02.3: the order, from the edges alone.
//
// scalar.h sorts the numbers by age: newest first is an order in which everything that used a number stands before it.
// Suppose that nobody kept the ages. Find such an order from the edges: the root first, every number once.
//
// What stands in the gap walks breadth first. It is right on b = a + a; c = b + b, and wrong as soon as two paths to
// the same number have different lengths.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/02_derivatives/scalar.h"
#include "tutorials/common/exercise.h"

namespace {

using derivatives::Edge, derivatives::Node, derivatives::Scalar;

// Look at node->edges only: the ages, node->number, are all zero here.
std::vector<Node*> order_of(Node* root) {
  // ---- the gap: an order in which a number comes after everything that used it ----
  std::vector<Node*> order{root};
  std::unordered_set<Node*> seen{root};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges)
      if (seen.insert(edge.input.get()).second) order.push_back(edge.input.get());
  return order;
  // ---- end of the gap ----
}

// Edges whose user does not stand before what it used.
double wrong_edges(const std::vector<Node*>& order) {
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

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("02", 3, "A topological order");
  e.hint("First count, for every number that can be reached, how many edges lead to it.");
  e.hint("A number may enter the order when all edges that lead to it come from numbers already in it.");
  e.hint(
      "Start with the root; a number that enters lowers the count of each of its inputs, once an edge; at zero the "
      "input is ready.");
  return e.run(argc, argv, [&] {
    auto judge = [&](const std::string& what, const Scalar& root) {
      const std::vector<Node*> all = derivatives::topological_order(root);
      for (Node* node : all) node->number = 0;
      const std::vector<Node*> order = order_of(root.node().get());
      e.check("in " + what + " the length of your order", static_cast<double>(order.size()),
              static_cast<double>(all.size()), 0);
      e.check("in " + what + " the number of edges against your order", wrong_edges(order), 0, 0);
      return order;
    };
    Scalar a = 3;
    Scalar b = a + a;
    judge("b = a + a; c = b + b", b + b);
    judge("y = tanh(ab + a) e^b", derivatives::drawn(Scalar(2.0), Scalar(-0.5)));

    Scalar x = 3;
    Scalar y = x + x * x * x;
    const std::vector<Node*> order = judge("y = x + x x x", y);
    for (Node* node : order) node->grad = 0;
    if (!order.empty()) order[0]->grad = 1;
    for (Node* node : order)
      for (const Edge& edge : node->edges) edge.input->grad += edge.local * node->grad;
    e.check("dy/dx of y = x + x x x at x = 3", x.grad(), 28, 0);

    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      judge(fmt::format("random expression {}", seed),
            derivatives::random_expression(std::vector<Scalar>{0.5, -1.0, 1.5}, seed, 30));
    Scalar chain = 1;  // walking every path would take 2^60 steps
    for (int i = 0; i < 60; ++i) chain = chain + chain;
    judge("a chain of 60 doublings", chain);
  });
}
