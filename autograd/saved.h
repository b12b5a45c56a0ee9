// What an operation keeps for its gradient, and the check that it has not been overwritten since.
//
//   [saved = save(x)] (Grads& g, ..) { .. g[saved] .. }
//
// A storage counts the writes to it, and a leaf counts the replacements of its value. g[saved] compares both with their
// numbers at saving, and throws a GraphError that names the operation and the writer.
#pragma once

#include "autograd/node.h"

namespace heed {

// An input (or any other Variable or Tensor) that the gradient needs.
struct Saved {
  Variable variable;
  uint32_t version, epoch;
};
inline Saved save(const Variable& v) { return {v, v.value().version(), v.epoch()}; }

// An output that the gradient needs: a detached alias, so that a node never owns its own output. g[saved] attaches it
// again when the gradient itself is recorded.
struct SavedOutput {
  Tensor value;
  uint32_t version, index;
};
inline SavedOutput save_output(const Tensor& y, uint32_t index = 0) { return {y, y.version(), index}; }

const Variable& unchanged(const Node& node, const Saved& saved);  // the value, or a GraphError
const Tensor& unchanged(const Node& node, const SavedOutput& saved);

// A gradient function gave a gradient that does not have the shape (or dtype) of its value.
struct GradientShapeError : GraphError {
  GradientShapeError(const std::string& text, const Shape& got_shape, const Shape& wanted_shape)
      : GraphError(text), got(got_shape), wanted(wanted_shape) {}
  Shape got, wanted;
};
// Sums dy over the axes that an operation repeated, if the edge says that it may have. Any other difference from the
// shape or dtype of the value is a GradientShapeError that names the operation `from`.
void sum_repeated(const Output& y, const Edge& edge, Variable& dy, const Node* from);
inline void fit_gradient(const Edge& edge, Variable& dy, const Node* from) {
  const Output& y = edge.node->outputs()[edge.index];
  if (dy.value().shared_layout() != y.layout || dy.dtype() != y.dtype) sum_repeated(y, edge, dy, from);
}

}  // namespace heed
