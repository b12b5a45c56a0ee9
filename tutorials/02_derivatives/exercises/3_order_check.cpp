// Hints and checks of exercise 02.3.
#include "tutorials/02_derivatives/exercises/3_order.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using derivatives::Edge, derivatives::Node, derivatives::Scalar;
using Order = std::vector<Node*>;

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

void examine(app::Exercise& e) {
  auto judge = [&](const std::string& what, const Scalar& root) {
    const Order all = derivatives::topological_order(root);
    for (Node* node : all) node->number = 0;
    const Order order = mine::order_of(root.node().get());
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
  return e.run(argc, argv, examine);
}
