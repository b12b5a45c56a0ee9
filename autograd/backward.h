// Backward: from a value to the gradients of everything that it was made of.
//
//   dL/dx = sum over the operations y = f(x) that used x of (dy/dx)^T dL/dy
//
// Nodes wait in a heap, and the deepest is taken first. An operation is deeper than its inputs, so when a node is
// taken, all contributions to its outputs have arrived. There is no recursion and no depth-first pass.
//
// backward and grad are the same pass, so they give the same bits. A gradient that is itself recorded (create_graph) is
// computed by composed operations where an ordinary pass has a fused kernel, and may differ in the last digits.
//
// Threads: a graph may be made on one thread and differentiated on another, and several threads may differentiate
// separate graphs over shared leaves with grad. One thread at a time may call backward on graphs that share leaves,
// since it adds to .grad; and one thread at a time may walk a node that is not a leaf.
#pragma once

#include <functional>
#include <vector>

#include "autograd/modes.h"
#include "autograd/saved.h"

namespace heed {

struct BackwardOptions {
  Tensor seed = {};           // dL/dy of y; needed when y has more than one element
  bool retain_graph = false;  // keep the graph for another pass
  // Called for each leaf as soon as this pass will add nothing more to its .grad, while the rest of the graph still
  // waits: gradients that are sent to other machines travel meanwhile. A leaf of an operation that no gradient reaches
  // is left out.
  std::function<void(Node& leaf)> ready = {};
};
// Adds dL/dx to .grad of every leaf x that y depends on, and of values with retain_grad; L = y, or the sum of seed y.
// GraphError: y is a constant; several elements and no seed; a seed of another shape; graph freed; value overwritten.
void backward(const Variable& y, const BackwardOptions& options = {});

struct GradOptions {
  std::vector<Variable> seeds = {};  // one per output; if none is given, 1 for outputs with one element
  bool create_graph = false;         // record the gradients too, so that they can be differentiated
  bool retain_graph = false;         // implied by create_graph
  bool allow_unused = false;         // give an undefined Variable for an input that no output depends on
};
// Gradients of the outputs' sum (weighted by the seeds) with respect to `inputs`, leaves or not, each in its own
// memory. Changes no .grad. GraphError: as for backward; an input that is constant or that no output depends on.
std::vector<Variable> grad(const std::vector<Variable>& outputs, const std::vector<Variable>& inputs,
                           const GradOptions& options = {});

class Pass;  // one run of backward

// What a gradient function sees.
class Grads {
 public:
  Grads(Pass& pass, Node& node, std::vector<Variable>& dy) : pass_(pass), node_(node), dy_(dy) {}

  bool needs(size_t i) const;                            // is the gradient of input i needed?
  void add(size_t i, Variable dx);                       // dx is (a part of) the gradient of input i
  bool has(size_t k) const { return dy_[k].defined(); }  // did anything use output k?
  const Variable& dy(size_t k);                          // gradient of output k; zeros if nothing used it
  bool recording() const { return grad_enabled(); }      // is the gradient itself being recorded?
  const Variable& operator[](const Saved& saved) const { return unchanged(node_, saved); }
  Variable operator[](const SavedOutput& saved) const {
    const Tensor& y = unchanged(node_, saved);
    return recording() ? Variable(y, Ref<Node>(&node_), saved.index) : Variable(y);
  }
  // May the memory of a saved value be overwritten? Yes if it is read for the last time: the graph is freed by this
  // pass, and all handles on the value are the `handles` that this node has saved.
  bool last_use(const Saved& saved, uint32_t handles) const;

  // For fused operations and checkpoints: `outputs` are this node's outputs computed again, recorded, from the original
  // inputs. Their graph takes this node's place in the pass.
  void replay(const std::vector<Variable>& outputs);

 private:
  Pass& pass_;
  Node& node_;
  std::vector<Variable>& dy_;
};

}  // namespace heed
