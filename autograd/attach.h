// How an operation joins the graph. All of it, for the square root:
//
//   // y = sqrt x,  dx = dy / (2 y)
//   Variable sqrt(const Variable& x) {
//     Tensor y = sqrt(x.value());
//     return attach("sqrt", {x}, y, [saved = save_output(y)](Grads& g, const Variable& dy) {
//       g.add(0, dy / (2 * g[saved]));
//     });
//   }
//
// attach returns a constant when nothing is to be recorded. The function is written with the public differentiable
// operations, so it is recorded itself when gradients of gradients are wanted. Two rules keep gradients right:
//   everything that the function reads is saved, by save or save_output, and read as g[saved]
//   a costly gradient is computed only if g.needs(i)
// A third rule avoids NaN where dy is 0: divide with chain_over of chain_rule.h. chain_over(dy, 2 * g[saved]) is then
// 0, also at x = 0.
// Operations of users are written with the same functions.
#pragma once

#include <span>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"

namespace heed {

using Inputs = std::vector<Input>;

template <class F>
void LambdaNode<F>::backward(Grads& grads) {
  if constexpr (std::is_invocable_v<F&, Grads&, const Variable&>)
    f_(grads, grads.dy(0));
  else
    f_(grads);
}

inline bool tracked(std::span<const Input> inputs) {
  for (const Input& i : inputs)
    if (i.edge.node) return true;
  return false;
}

template <class F>
Ref<Node> record(const char* name, std::span<Input> inputs, std::span<const Tensor> outputs, F&& backward) {
  Ref<Node> node = Node::make<LambdaNode<F>>(name, inputs.size(), outputs, std::move(backward));
  for (size_t i = 0; i < inputs.size(); ++i) node->connect(i, std::move(inputs[i].edge));
  return node;
}

template <class F, size_t N>
Variable attach(const char* name, Input (&&inputs)[N], Tensor y, F backward) {
  if (anomaly_slot()) check_anomaly(name, inputs, y);
  if (!tracked(inputs)) return Variable(std::move(y));
  Ref<Node> node = record(name, inputs, {&y, 1}, std::move(backward));
  return Variable(std::move(y), std::move(node), 0);
}

// The same for any number of inputs and outputs. The function may take (Grads&) alone and ask for each dy(k).
template <class F>
std::vector<Variable> attach_many(const char* name, Inputs inputs, const std::vector<Tensor>& ys, F backward) {
  if (anomaly_slot())
    for (const Tensor& y : ys) check_anomaly(name, inputs, y);
  if (!tracked(inputs)) return {ys.begin(), ys.end()};
  Ref<Node> node = record(name, inputs, ys, std::move(backward));
  std::vector<Variable> out;
  for (uint32_t k = 0; k < ys.size(); ++k) out.emplace_back(ys[k], node, k);
  return out;
}

// A fused operation beside its composed twin. `fast(g, dy)` adds gradients by kernels and records nothing. When
// gradients of gradients are wanted, `composed(g)` computes the output again from the original inputs with public
// operations, whose graph takes the place of this node.
template <class Fast, class Composed, size_t N>
Variable attach_fused(const char* name, Input (&&inputs)[N], const Tensor& y, Fast fast, Composed composed) {
  return attach(name, std::move(inputs), y,
                [fast = std::move(fast), composed = std::move(composed)](Grads& g, const Variable& dy) {
                  if (g.recording())
                    g.replay({composed(g)});
                  else
                    fast(g, dy);
                });
}

}  // namespace heed
