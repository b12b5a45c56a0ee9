// Backward: from a value to the gradients of everything it was made of.
//
//   dL/dx = sum over the operations y = f(x) that used x of (dy/dx)^T dL/dy
//
// Nodes are taken from a heap, the largest sequence number first. An operation's number is larger than those of its
// inputs, so when a node is taken all contributions to its outputs have arrived. No recursion, no depth-first pass.
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed {

// A gradient function gave a gradient that has not the shape (or dtype) of its value.
struct GradientShapeError : GraphError {
  GradientShapeError(const std::string& text, const Shape& got_shape, const Shape& wanted_shape)
      : GraphError(text), got(got_shape), wanted(wanted_shape) {}
  Shape got, wanted;
};

struct BackwardOptions {
  Tensor seed = {};           // dL/dy of y; needed when y has more than one element
  bool retain_graph = false;  // keep the graph for another pass
};
// Adds dy/dleaf to .grad of every leaf that y was made of (and of values that asked with retain_grad).
// GraphError: y needs no gradient; the graph was already freed; a saved value was overwritten.
void backward(const Variable& y, const BackwardOptions& options = {});

struct GradOptions {
  std::vector<Variable> seeds = {};  // one an output; ones for outputs with one element if none is given
  bool create_graph = false;         // record the gradients too, so that they can be differentiated
  bool retain_graph = false;         // implied by create_graph
  bool allow_unused = false;         // give an undefined Variable for an input that no output depends on
};
// The gradients of the outputs' sum with respect to `inputs`, leaves or not. No .grad is touched.
std::vector<Variable> grad(const std::vector<Variable>& outputs, const std::vector<Variable>& inputs,
                           const GradOptions& options = {});

}  // namespace heed
