#include "autograd/backward.h"

#include <fmt/format.h>

#include <deque>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "autograd/hooks.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/prune.h"
#include "tensor/elementwise.h"

namespace heed {

// One run of backward. A node that has received a gradient holds the number of its slot; the slot holds the gradients
// of the node's outputs until the node is taken from the heap. Leaves may be shared by the passes of several threads,
// so their slots are found through a map in the pass. A hook may call grad, so passes may nest: the inner pass
// restores the marks of the outer one.
class Pass {
 public:
  explicit Pass(bool retain_graph) : retain_graph_(retain_graph) {}
  virtual ~Pass() {
    for (Slot& s : slots_)
      if (s.node) unmark(s);
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // Does this pass need the gradient that this edge would carry?
  virtual bool wants(const Edge& edge) const { return static_cast<bool>(edge.node); }

  // A gradient arrives at an output of a node. `from` is the node that sent it, for errors.
  void send(const Edge& edge, Variable dy, const Node* from) {
    fit_gradient(edge, dy, from);
    Variable& sum = slot_of(edge.node).dy[edge.index];
    if (!sum.defined()) {
      sum = std::move(dy);
    } else if (!grad_enabled() && sum.unique() && sum.value().is_contiguous()) {
      Tensor buffer = sum.value();  // nobody else knows this memory
      add_into(buffer, dy.value());
    } else {
      sum = add(sum, dy);
    }
  }

  void run() {
    while (!heap_.empty()) {
      size_t at = heap_.top().slot;
      heap_.pop();
      Slot& slot = slots_[at];  // stays valid, even if `step` opens more slots
      if (slot.node) take(slot);
      free_.push_back(at);
    }
  }

  // With this, leaves are taken as soon as they are complete (BackwardOptions::ready).
  void count_down(const Edge& root, const std::function<void(Node&)>& ready) {
    ready_ = ready;
    meet(root.node);
  }
  void replay(const Edge& edge, Variable dy, const Node* from) {
    if (ready_) meet(edge.node);
    send(edge, std::move(dy), from);
  }

  const bool watches_anomalies = anomaly_slot();
  bool keeps_graph() const { return retain_graph_; }

 protected:
  // Called when all gradients of the node's outputs have arrived. Returns whether the node's inputs should get theirs.
  virtual bool arrived(Node& node, std::vector<Variable>& dy) = 0;
  uint64_t id() const { return scope_.id(); }

 private:
  struct Slot {
    Ref<Node> node;
    std::vector<Variable> dy;
    uint64_t outer_mark;
    uint32_t outer_slot;
  };
  struct Waiting {  // the deepest first; among those of one depth, the one that was reached first
    uint32_t depth;
    uint64_t turn;
    size_t slot;
    bool operator<(const Waiting& o) const { return depth != o.depth ? depth < o.depth : turn > o.turn; }
  };

  Slot& slot_of(const Ref<Node>& node) {
    if (node->is_leaf()) {
      if (node.get() == last_leaf_) return slots_[last_leaf_slot_];
      auto [found, fresh] = leaves_.try_emplace(node.get(), 0);
      if (fresh) found->second = open(node);
      last_leaf_ = node.get(), last_leaf_slot_ = found->second;
      return slots_[found->second];
    }
    uint64_t open_mark = id() + 1;  // odd, so that no recording scope has it
    if (node->mark == open_mark) return slots_[node->slot];
    size_t at = open(node);
    node->mark = open_mark;
    node->slot = static_cast<uint32_t>(at);
    return slots_[at];
  }
  size_t open(const Ref<Node>& node) {
    size_t at = slots_.size();
    if (free_.empty()) {
      slots_.emplace_back();
    } else {
      at = free_.back();
      free_.pop_back();
    }
    Slot& s = slots_[at];
    s.node = node;
    s.dy.resize(node->outputs().size());
    if (!node->is_leaf()) s.outer_mark = node->mark, s.outer_slot = node->slot;
    heap_.push({node->depth, turns_++, at});
    return at;
  }
  void take(Slot& slot) {
    unmark(slot);
    step(*slot.node, slot.dy);
    slot.dy.clear();
    slot.node = {};
  }
  static void unmark(Slot& s) {
    if (!s.node->is_leaf()) s.node->mark = s.outer_mark, s.node->slot = s.outer_slot;
  }

  void step(Node& node, std::vector<Variable>& dy) {
    if (node.hooks) Hooks::run(node, dy);
    if (!arrived(node, dy)) return;
    if (node.released())
      throw GraphError(fmt::format("backward: the graph was already freed at {}; pass retain_graph to the first pass",
                                   describe(node.name, node.path)));
    NameScope scope(node.path);
    ScopedValue<bool> quiet(anomaly_slot(), false);  // the gradients of this node are checked under its own name
    Grads grads(*this, node, dy);
    node.backward(grads);
    if (ready_)  // after backward, which may have added a second graph to the first
      for (const Edge& e : node.edges()) {
        if (!e.node || !e.node->is_leaf()) continue;
        if (auto waits = awaited_.find(e.node.get()); waits != awaited_.end() && --waits->second == 0) complete(e.node);
      }
    if (retain_graph_) return;
    node.release();
    for (Edge& e : node.edges()) e.node = {};
  }

  // Counts the edges to each leaf from the nodes that lead to `root` and have not been met before.
  void meet(const Ref<Node>& root) {
    std::vector<Node*> open;
    auto look = [&](const Ref<Node>& node) {
      if (!node || node->is_leaf() || !met_.insert(node.get()).second) return;
      kept_.push_back(node);  // so that no other node gets its address
      open.push_back(node.get());
    };
    look(root);
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      for (const Edge& e : node->edges()) {
        if (e.node && e.node->is_leaf()) ++awaited_[e.node.get()];
        look(e.node);
      }
    }
  }
  // Every operation that reads the leaf has sent its gradient.
  void complete(const Ref<Node>& leaf) {
    if (auto found = leaves_.find(leaf.get()); found != leaves_.end()) {
      Slot& slot = slots_[found->second];  // its place in the heap stays, empty
      leaves_.erase(found);
      last_leaf_ = nullptr;
      take(slot);
    }
    ready_(*leaf);
  }

  RecordingScope scope_;
  bool retain_graph_;
  std::function<void(Node&)> ready_;
  std::unordered_map<const Node*, int64_t> awaited_;  // edges to a leaf that have yet to be followed
  std::unordered_set<const Node*> met_;
  std::vector<Ref<Node>> kept_;
  std::deque<Slot> slots_;
  std::vector<size_t> free_;
  std::unordered_map<const Node*, size_t> leaves_;
  const Node* last_leaf_ = nullptr;
  size_t last_leaf_slot_ = 0;
  std::priority_queue<Waiting> heap_;
  uint64_t turns_ = 0;
};

namespace {

// backward: leaves collect into .grad.
class CollectingPass final : public Pass {
 public:
  using Pass::Pass;

 private:
  bool arrived(Node& node, std::vector<Variable>& dy) override {
    if (!node.is_leaf()) {
      if (node.hooks) node.hooks->retain(dy);
      return true;
    }
    // .grad owns its memory, so that scaling it later scales nothing else: taken over if nobody else holds it.
    Tensor& sum = static_cast<LeafNode&>(node).grad;
    if (!dy[0].defined()) return false;
    if (sum.defined())
      add_into(sum, dy[0].value());
    else
      sum = dy[0].unique() && dy[0].value().is_contiguous() ? dy[0].value() : dy[0].value().clone();
    return false;
  }
};

// grad: the gradients of some inputs. Only nodes on the paths to these inputs are visited.
class SelectingPass final : public Pass {
 public:
  SelectingPass(const std::vector<Variable>& outputs, const std::vector<Variable>& inputs, bool retain_graph)
      : Pass(retain_graph), inputs_(inputs), results_(inputs.size()), needed_(nodes_leading_to(inputs, outputs)) {}

  bool wants(const Edge& edge) const override {
    return edge.node && (edge.node->mark >= id() || needed_.count(edge.node.get()) != 0);
  }
  std::vector<Variable> results() && { return std::move(results_); }

 private:
  bool arrived(Node& node, std::vector<Variable>& dy) override {
    bool asked = false;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].node().get() != &node) continue;
      asked = true;
      results_[i] = dy[inputs_[i].index()];
    }
    if (node.is_leaf()) return false;
    for (const Edge& e : node.edges())
      if (wants(e)) return true;
    return node.released() && !asked;  // a freed node has lost its edges: step() throws the GraphError
  }

  const std::vector<Variable>& inputs_;
  std::vector<Variable> results_;
  std::unordered_set<const Node*> needed_;
};

Variable seed_for(const Variable& y, const Variable& given) {
  if (given.defined()) return given;
  if (y.count() != 1)
    throw GraphError(fmt::format(
        "backward: a value with more than one element needs a seed; got {}; hint: sum it first", to_string(y.shape())));
  return Variable(Tensor::ones(y.shape(), y.dtype()));
}

}  // namespace

void backward(const Variable& y, const BackwardOptions& options) {
  if (!y.requires_grad())
    throw GraphError("backward: the value must require a gradient; got a constant; hint: was it made under NoGrad?");
  NoGrad guard;
  CollectingPass pass(options.retain_graph);
  if (options.ready) pass.count_down({y.node(), y.index()}, options.ready);
  pass.send({y.node(), y.index()}, seed_for(y, options.seed.defined() ? options.seed : Variable()), nullptr);
  pass.run();
  if (options.ready && y.node()->is_leaf()) options.ready(*y.node());  // which no edge leads to
}

std::vector<Variable> grad(const std::vector<Variable>& outputs, const std::vector<Variable>& inputs,
                           const GradOptions& options) {
  for (const Variable& x : inputs)
    if (!x.requires_grad()) throw GraphError("grad: every input must require a gradient; got a constant");
  if (!options.seeds.empty() && options.seeds.size() != outputs.size())
    throw GraphError(fmt::format("grad: needs one seed per output; got {} seeds for {} outputs", options.seeds.size(),
                                 outputs.size()));
  GradMode mode(options.create_graph);
  SelectingPass pass(outputs, inputs, options.retain_graph || options.create_graph);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    Edge root{outputs[i].node(), outputs[i].index()};
    if (pass.wants(root))
      pass.send(root, seed_for(outputs[i], options.seeds.empty() ? Variable() : options.seeds[i]), nullptr);
  }
  pass.run();
  std::vector<Variable> results = std::move(pass).results();
  for (size_t i = 0; i < results.size(); ++i) {
    Variable& dx = results[i];
    if (!dx.defined() && !options.allow_unused)
      throw GraphError(
          fmt::format("grad: no output depends on input {}; pass allow_unused to get an undefined one", i));
    if (dx.defined() && !dx.unique())
      dx = Variable(dx.value().clone(), dx.requires_grad() ? dx.node() : Ref<Node>(), dx.index());
  }
  return results;
}

// --- what a gradient function may do --------------------------------------------------------------------------------

bool Grads::needs(size_t i) const { return i < node_.edges().size() && pass_.wants(node_.edges()[i]); }

bool Grads::last_use(const Saved& saved, uint32_t handles) const {
  return !recording() && !pass_.keeps_graph() && saved.variable.held_by(handles);
}

void Grads::add(size_t i, Variable dx) {
  if (i >= node_.edges().size())
    throw GraphError(fmt::format("backward of {}: gives a gradient to one of its {} inputs; got one for input {}",
                                 describe(node_.name, node_.path), node_.edges().size(), i));
  const Edge& edge = node_.edges()[i];
  if (!pass_.wants(edge)) return;
  if (pass_.watches_anomalies) check_anomaly(node_, dy_, i, dx.value());
  pass_.send(edge, std::move(dx), &node_);
}

const Variable& Grads::dy(size_t k) {
  const Output& y = node_.outputs()[k];
  if (!dy_[k].defined()) dy_[k] = Variable(Tensor::zeros(y.shape(), y.dtype));
  return dy_[k];
}

void Grads::replay(const std::vector<Variable>& outputs) {
  for (size_t k = 0; k < outputs.size(); ++k)
    if (has(k) && outputs[k].requires_grad()) pass_.replay({outputs[k].node(), outputs[k].index()}, dy(k), &node_);
}

}  // namespace heed
