#include "autograd/checkpoint.h"

#include <fmt/format.h>

#include <set>
#include <unordered_set>

#include "autograd/attach.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

// The edges by which the graph of `outputs` leaves the recording scope, each once. They lead to the inputs of f and to
// the parameters that it captured.
std::vector<Edge> boundary(const std::vector<Variable>& outputs, uint64_t scope) {
  std::vector<Edge> found;
  std::set<std::pair<const Node*, uint32_t>> listed;
  std::unordered_set<const Node*> seen;
  std::vector<Node*> inner;
  auto meet = [&](const Ref<Node>& node, uint32_t index) {
    if (!node) return;
    if (node->mark >= scope) {
      if (seen.insert(node.get()).second) inner.push_back(node.get());
    } else if (listed.emplace(node.get(), index).second) {
      found.push_back({node, index, false});
    }
  };
  for (const Variable& y : outputs)
    if (y.requires_grad()) meet(y.node(), y.index());
  while (!inner.empty()) {
    Node* node = inner.back();
    inner.pop_back();
    for (const Edge& e : node->edges()) meet(e.node, e.index);
  }
  return found;
}

}  // namespace

std::vector<Variable> checkpoint_many(std::function<std::vector<Variable>()> f, const std::vector<Variable>& inputs) {
  if (!grad_enabled()) return f();
  GeneratorLog drawn;
  std::vector<Variable> first;
  std::vector<Edge> edges;
  {
    RecordingScope scope;
    first = f();
    edges = boundary(first, scope.id());
  }
  if (edges.empty()) return first;

  std::vector<Saved> watched;
  for (const Variable& x : inputs) watched.push_back(save(x));
  std::vector<SavedOutput> values;
  for (uint32_t k = 0; k < first.size(); ++k) values.push_back(save_output(first[k].value(), k));
  auto backward = [f = std::move(f), watched, values, drawn = drawn.draws()](Grads& g) {
    for (const Saved& x : watched) (void)g[x];
    std::vector<Variable> second;
    {
      GradMode record(true);
      ScopedValue<bool> again(recomputing_slot(), true);
      GeneratorReplay replay(drawn);
      second = f();
    }
    bool same = second.size() == values.size();
    for (size_t k = 0; same && k < values.size(); ++k) same = bit_equal(second[k].value(), g[values[k]].value());
    if (!same)
      throw GraphError(
          "checkpoint: the second run of f must give the same bits as the first; hint: f may depend only on its "
          "inputs, on parameters that nobody changes in between, and on generators");
    g.replay(second);
  };
  std::vector<Tensor> ys;
  for (const Variable& y : first) ys.push_back(y.value());
  Ref<Node> node = Node::make<LambdaNode<decltype(backward)>>("checkpoint", edges.size(), ys, std::move(backward));
  for (size_t i = 0; i < edges.size(); ++i) node->connect(i, std::move(edges[i]));
  std::vector<Variable> outputs;
  for (uint32_t k = 0; k < first.size(); ++k)
    outputs.push_back(first[k].requires_grad() ? Variable(ys[k], node, k) : first[k]);
  return outputs;
}

}  // namespace heed
