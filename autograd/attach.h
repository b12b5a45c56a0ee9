// How an operation joins the graph. All of it, for tanh:
//
//   // y = tanh x,  dx = (1 - y^2) dy
//   Variable tanh(const Variable& x) {
//     Tensor value = tanh(x.value());
//     return attach("tanh", {x}, value, [y = save_output(value)](Grads& g, const Variable& dy) {
//       g.add(0, dy * (1 - square(g[y])));
//     });
//   }
//
// attach returns a constant when nothing is to be recorded. The lambda is written with the public differentiable
// operations: when gradients of gradients are wanted they record themselves, else they cost nothing extra.
// Custom operations of users are written with the same function.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "autograd/modes.h"
#include "autograd/node.h"

namespace heed {

// One input of an operation. `broadcast(x)`: x may have been repeated along axes; the engine sums its gradient over
// them.
struct Input {
  Input(const Variable& v) : variable(v) {}  // NOLINT: implicit, so that {x, w} reads as the inputs
  Input(const Variable& v, bool broadcasts) : variable(v), may_broadcast(broadcasts) {}
  const Variable& variable;
  bool may_broadcast = false;
};
inline Input broadcast(const Variable& v) { return Input(v, true); }
using Inputs = std::vector<Input>;

// A value that the gradient needs. Read it as g[saved]: if it was overwritten since, that is an error that names both
// operations.
struct Saved {
  Variable variable;
  uint32_t version, epoch;
};
inline Saved save(const Variable& v) { return {v, v.value().version(), v.epoch()}; }

// An output that the gradient needs: a detached alias, so that the node does not own its own output. g[saved] attaches
// it again when the gradient itself is recorded.
struct SavedOutput {
  Tensor value;
  uint32_t version, index;
};
inline SavedOutput save_output(const Tensor& value, uint32_t index = 0) { return {value, value.version(), index}; }

class Pass;  // one run of backward

// What a gradient function sees.
class Grads {
 public:
  Grads(Pass& pass, Node& node, SmallVector<Variable, 1>& dy) : pass_(pass), node_(node), dy_(dy) {}

  bool needs(size_t i) const;                            // ask before computing
  void add(size_t i, const Variable& dx);                // dx is (a part of) the gradient of input i
  bool has(size_t k) const { return dy_[k].defined(); }  // did anyone use output k?
  const Variable& dy(size_t k);                          // gradient of output k; zeros if nobody used it
  Variable operator[](const Saved& saved) const;
  Variable operator[](const SavedOutput& saved) const;
  bool recording() const { return grad_enabled(); }  // is the gradient itself being recorded?

  // For fused operations and checkpoints: `outputs` are this node's outputs computed again with recorded operations on
  // the original inputs. Their graph takes over: it is seeded with dy and run in this same pass.
  void replay(const std::vector<Variable>& outputs);

 private:
  void check(size_t i, const Tensor& dx) const;

  Pass& pass_;
  Node& node_;
  SmallVector<Variable, 1>& dy_;
};

template <class F>
class LambdaNode final : public Node {
 public:
  LambdaNode(const char* op, F f) : Node(op), f_(std::move(f)) {}
  void backward(Grads& grads) override {
    if constexpr (std::is_invocable_v<F&, Grads&, const Variable&>)
      (*f_)(grads, grads.dy(0));
    else
      (*f_)(grads);  // several outputs: asks for grads.dy(k)
  }
  void release() override { f_.reset(); }
  bool released() const override { return !f_; }

 private:
  std::optional<F> f_;
};

// Is anything to be recorded for these inputs?
bool tracked(const Input* begin, const Input* end);
std::string name_of_anomaly(double value);  // "nan", "inf", "-inf"
void check_anomaly(const char* name, const Input* begin, const Input* end, const Tensor& y);
void connect(Node& node, const Input* begin, const Input* end);

template <class F>
Variable attach(const char* name, std::initializer_list<Input> inputs, const Tensor& y, F backward) {
  if (anomaly_slot()) check_anomaly(name, inputs.begin(), inputs.end(), y);
  if (!tracked(inputs.begin(), inputs.end())) return Variable(y);
  Ref<Node> node(new LambdaNode<F>(name, std::move(backward)));
  connect(*node, inputs.begin(), inputs.end());
  node->add_output(y);
  return Variable(y, std::move(node), 0);
}

// The same for any number of inputs and outputs. The lambda may take (Grads&) and ask for each dy(k).
template <class F>
std::vector<Variable> attach_many(const char* name, const Inputs& inputs, const std::vector<Tensor>& ys, F backward) {
  const Input *begin = inputs.data(), *end = begin + inputs.size();
  std::vector<Variable> out;
  if (anomaly_slot())
    for (const Tensor& y : ys) check_anomaly(name, begin, end, y);
  if (!tracked(begin, end)) {
    for (const Tensor& y : ys) out.emplace_back(y);
    return out;
  }
  Ref<Node> node(new LambdaNode<F>(name, std::move(backward)));
  connect(*node, begin, end);
  for (const Tensor& y : ys) node->add_output(y);
  for (uint32_t k = 0; k < ys.size(); ++k) out.emplace_back(ys[k], node, k);
  return out;
}

// A fused operation beside its composed twin. `fast(g, dy)` adds gradients with kernels and records nothing; when
// gradients of gradients are wanted, `composed()` computes the output anew from the original inputs with public
// operations, and the graph of that takes over.
template <class Fast, class Composed>
Variable attach_fused(const char* name, std::initializer_list<Input> inputs, const Tensor& y, Fast fast,
                      Composed composed) {
  return attach(name, inputs, y,
                [fast = std::move(fast), composed = std::move(composed)](Grads& g, const Variable& dy) {
                  if (g.recording())
                    g.replay({composed(g)});
                  else
                    fast(g, dy);
                });
}

}  // namespace heed
