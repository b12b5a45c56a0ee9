#include "autograd/backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_map>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {

// One run of backward. A node that has received a gradient holds the number of its slot; a slot holds the gradients of
// the node's outputs until the node is taken from the heap. Passes may nest (a hook may call grad): the inner one puts
// the outer one's mark back.
class Pass {
 public:
  Pass() : id_(++counter()), start_(next_sequence()) {}
  ~Pass() {
    for (Slot& s : slots_)
      if (s.node) restore(s);
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // Gradient `dy` arrives at output `index` of `node`. `from` names the operation that sent it, for errors.
  void send(const Ref<Node>& node, uint32_t index, bool may_broadcast, Variable dy, const Node* from) {
    fit(*node, index, may_broadcast, dy, from);
    if (node->pass != id_) open(node);
    Slot& slot = slots_[node->slot];
    Variable& sum = slot.dy[index];
    if (!sum.defined()) {
      sum = std::move(dy);
    } else if (index < 64 && (slot.owned >> index & 1) && !grad_enabled()) {
      Tensor buffer = sum.value();
      add_into(buffer, dy.value());
    } else {
      sum = heed::add(sum, dy);  // into a fresh buffer: the first arrival may be shared with others
      if (index < 64) slot.owned |= uint64_t{1} << index;
    }
  }

  void run(bool retain_graph, const std::vector<Variable>* inputs, std::vector<Variable>* results) {
    while (!heap_.empty()) {
      size_t at = heap_.top().second;
      heap_.pop();
      Slot& slot = slots_[at];  // stays where it is, whatever step opens
      restore(slot);
      step(*slot.node, slot.dy, retain_graph, inputs, results);
      slot.dy.clear();
      slot.owned = 0;
      slot.node = {};
      free_.push_back(at);
    }
  }

  bool watches() const { return watches_; }  // for anomalies

  bool wants(const Edge& edge) const {
    if (!edge.node) return false;
    if (!pruned_ || edge.node->sequence >= start_) return true;
    auto found = needed_.find(edge.node.get());
    return found != needed_.end() && found->second;
  }

  // grad() asks for some inputs only: mark the nodes that lead to one of them.
  void prune(const std::vector<Variable>& roots, const std::vector<Variable>& inputs) {
    pruned_ = true;
    std::vector<Node*> nodes;
    auto visit = [&](const Ref<Node>& n) {
      if (n && needed_.emplace(n.get(), false).second) nodes.push_back(n.get());
    };
    for (const Variable& r : roots) visit(r.node());
    for (size_t i = 0; i < nodes.size(); ++i)
      for (size_t e = 0; e < nodes[i]->edges.size(); ++e) visit(nodes[i]->edges[e].node);
    for (const Variable& x : inputs)
      if (auto found = needed_.find(x.node().get()); found != needed_.end()) found->second = true;
    // Nobody knows any more where a freed node led: it may have led to an input, so that the pass must go there and say
    // so, instead of leaving its part out.
    for (Node* n : nodes)
      if (!n->is_leaf() && n->released()) needed_[n] = true;
    std::sort(nodes.begin(), nodes.end(), [](Node* a, Node* b) { return a->sequence < b->sequence; });
    for (Node* n : nodes)
      for (size_t e = 0; e < n->edges.size(); ++e)
        if (n->edges[e].node && needed_[n->edges[e].node.get()]) needed_[n] = true;
  }

 private:
  struct Slot {
    Ref<Node> node;
    SmallVector<Variable, 1> dy;
    uint64_t owned = 0;  // bit k: dy[k] is a buffer of this pass, and may be added to in place
    uint64_t outer_pass = 0;
    size_t outer_slot = 0;
  };

  static uint64_t& counter() {
    thread_local uint64_t passes = 0;
    return passes;
  }
  static void restore(Slot& s) {
    s.node->pass = s.outer_pass;
    s.node->slot = s.outer_slot;
  }

  void open(const Ref<Node>& node) {
    size_t at = slots_.size();
    if (free_.empty()) {
      slots_.emplace_back();
    } else {
      at = free_.back();
      free_.pop_back();
    }
    Slot& s = slots_[at];
    s.node = node;
    s.outer_pass = node->pass;
    s.outer_slot = node->slot;
    for (size_t k = 0; k < node->outputs.size(); ++k) s.dy.grow();
    node->pass = id_;
    node->slot = at;
    heap_.emplace(node->sequence, at);
  }

  // Is `full` what `small` becomes by repeating axes?
  static bool repeats(const Shape& small, const Shape& full) {
    int lead = full.rank() - small.rank();
    bool fits = lead >= 0;
    for (int i = 0; fits && i < small.rank(); ++i) fits = small[i] == 1 || small[i] == full[lead + i];
    return fits;
  }

  // Only edges of broadcasting operations may differ in shape, and are summed; anything else is a wrong gradient.
  static void fit(const Node& node, uint32_t index, bool may_broadcast, Variable& dy, const Node* from) {
    const OutputMeta& want = node.outputs[index];
    if (dy.dtype() == want.dtype && dy.shape() == want.shape) return;
    if (dy.dtype() == want.dtype && may_broadcast && repeats(want.shape, dy.shape())) {
      dy = sum_to(dy, want.shape);
      return;
    }
    throw GradientShapeError(
        fmt::format("{}: a gradient must have the shape and dtype of its value; got {} {} for {} {} of {}",
                    from ? "backward of " + describe(from->name, from->path) : std::string("backward"),
                    name_of(dy.dtype()), to_string(dy.shape()), name_of(want.dtype), to_string(want.shape),
                    describe(node.name, node.path)),
        dy.shape(), want.shape);
  }

  static bool is_one_of(const std::vector<Variable>& inputs, const Node& node) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const Variable& x) { return x.node().get() == &node; });
  }

  void step(Node& node, SmallVector<Variable, 1>& dy, bool retain_graph, const std::vector<Variable>* inputs,
            std::vector<Variable>* results) {
    if (node.extras) {
      for (size_t h = 0; h < node.extras->hooks.size(); ++h) {
        auto hook = node.extras->hooks[h];  // a copy: a hook may register another
        if (!dy[hook.index].defined()) continue;
        Variable changed = hook.call(dy[hook.index]);
        if (!changed.defined()) continue;
        fit(node, hook.index, /*may_broadcast=*/false, changed, nullptr);
        dy[hook.index] = changed;
      }
      for (size_t k = 0; k < node.extras->wants.size() && !inputs; ++k)
        if (node.extras->wants[k] && dy[k].defined()) node.extras->retained[k] = dy[k].value().clone();
    }
    if (inputs) {
      for (size_t i = 0; i < inputs->size(); ++i)
        if ((*inputs)[i].node().get() == &node && dy[(*inputs)[i].index()].defined())
          (*results)[i] = dy[(*inputs)[i].index()];
      if (!wants({Ref<Node>(&node), 0, false}) || node.is_leaf()) return;
      bool leads_on = false;
      for (size_t e = 0; e < node.edges.size(); ++e) leads_on = leads_on || wants(node.edges[e]);
      if (!leads_on && (!node.released() || is_one_of(*inputs, node))) return;
    } else if (node.is_leaf()) {
      return collect(static_cast<LeafNode&>(node), dy[0]);
    }
    if (node.released())
      throw GraphError(fmt::format("backward: the graph was already freed at {}; pass retain_graph to the first pass",
                                   describe(node.name, node.path)));
    NameScope scope(node.path);
    ScopedValue<bool> quiet(anomaly_slot(), false);  // the gradients of this node are checked under its own name
    Grads grads(*this, node, dy);
    node.backward(grads);
    if (!retain_graph) {
      node.release();
      node.edges.clear();
    }
  }

  // .grad owns its memory: taken over if nobody else holds it, else copied, so that scaling it later scales nothing
  // else.
  static void collect(LeafNode& leaf, Variable& dy) {
    if (!dy.defined()) return;
    if (leaf.grad.defined()) return add_into(leaf.grad, dy.value());
    leaf.grad = dy.unique() && dy.value().is_contiguous() ? dy.value() : dy.value().clone();
  }

  uint64_t id_, start_;
  bool watches_ = anomaly_slot();
  bool pruned_ = false;
  std::unordered_map<const Node*, bool> needed_;
  std::deque<Slot> slots_;
  std::vector<size_t> free_;
  std::priority_queue<std::pair<uint64_t, size_t>> heap_;
};

bool Grads::needs(size_t i) const { return i < node_.edges.size() && pass_.wants(node_.edges[i]); }

void Grads::add(size_t i, const Variable& dx) {
  if (i >= node_.edges.size())
    throw GraphError(fmt::format("backward of {}: gives a gradient to one of its {} inputs; got one for input {}",
                                 describe(node_.name, node_.path), node_.edges.size(), i));
  const Edge& edge = node_.edges[i];
  if (!pass_.wants(edge)) return;
  if (pass_.watches()) check(i, dx.value());
  pass_.send(edge.node, edge.index, edge.may_broadcast, dx, &node_);
}

// NaN anywhere; an infinity where the gradients that arrived were finite.
void Grads::check(size_t i, const Tensor& dx) const {
  bool finite = true;
  for (size_t k = 0; k < dy_.size(); ++k) finite = finite && (!has(k) || all_finite(dy_[k].value()));
  int64_t at = first_not_finite(dx, /*infinities=*/finite);
  if (at < 0) return;
  throw GraphError(fmt::format("backward of {}: gave {} at position {} of the gradient of input {}; got shape {}",
                               describe(node_.name, node_.path), name_of_anomaly(dx.reshape({dx.count()}).at({at})), at,
                               i, to_string(dx.shape())));
}

const Variable& Grads::dy(size_t k) {
  if (!dy_[k].defined()) dy_[k] = Variable(Tensor::zeros(node_.outputs[k].shape, node_.outputs[k].dtype));
  return dy_[k];
}

namespace {
void require_unchanged(const Node& node, const Tensor& t, uint32_t version, bool replaced) {
  if (t.version() == version && !replaced) return;
  const Storage& s = t.storage();
  throw GraphError(
      fmt::format("backward of {}: a value that it saved was overwritten by {}; got version {}, saved at {}; hint: "
                  "compute on a clone()",
                  describe(node.name, node.path),
                  replaced ? std::string("set_value") : describe(s.writer, s.writer_path), s.version, version));
}
}  // namespace

Variable Grads::operator[](const Saved& saved) const {
  require_unchanged(node_, saved.variable.value(), saved.version, saved.variable.epoch() != saved.epoch);
  return saved.variable;
}
Variable Grads::operator[](const SavedOutput& saved) const {
  require_unchanged(node_, saved.value, saved.version, /*replaced=*/false);
  if (!recording()) return Variable(saved.value);
  return Variable(saved.value, Ref<Node>(&node_), saved.index);
}

void Grads::replay(const std::vector<Variable>& outputs) {
  for (size_t k = 0; k < outputs.size(); ++k)
    if (has(k) && outputs[k].requires_grad())
      pass_.send(outputs[k].node(), outputs[k].index(), /*may_broadcast=*/false, dy(k), &node_);
}

namespace {
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
  Pass pass;
  pass.send(y.node(), y.index(), /*may_broadcast=*/false,
            seed_for(y, options.seed.defined() ? options.seed : Variable()), nullptr);
  pass.run(options.retain_graph, nullptr, nullptr);
}

std::vector<Variable> grad(const std::vector<Variable>& outputs, const std::vector<Variable>& inputs,
                           const GradOptions& options) {
  for (const Variable& x : inputs)
    if (!x.requires_grad()) throw GraphError("grad: every input must require a gradient; got a constant");
  if (!options.seeds.empty() && options.seeds.size() != outputs.size())
    throw GraphError(fmt::format("grad: needs one seed an output; got {} seeds for {} outputs", options.seeds.size(),
                                 outputs.size()));
  std::vector<Variable> roots, results(inputs.size());
  {
    GradMode mode(options.create_graph);
    Pass pass;
    for (const Variable& y : outputs)
      if (y.requires_grad()) roots.push_back(y);
    pass.prune(roots, inputs);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].requires_grad() && pass.wants({outputs[i].node(), 0, false}))
        pass.send(outputs[i].node(), outputs[i].index(), /*may_broadcast=*/false,
                  seed_for(outputs[i], options.seeds.empty() ? Variable() : options.seeds[i]), nullptr);
    pass.run(options.retain_graph || options.create_graph, &inputs, &results);
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].defined() && !options.allow_unused)
      throw GraphError(
          fmt::format("grad: no output depends on input {}; pass allow_unused to get an undefined one", i));
  return results;
}

}  // namespace heed
