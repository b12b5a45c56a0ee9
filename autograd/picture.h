// The graph of a value as data and as a picture: the operations and leaves from which it was computed.
#pragma once

#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed {

struct GraphPicture {
  struct Box {
    std::string operation, module;  // "matmul", "encoder.cell"
    std::string shapes;             // of its outputs: "[32, 64]"
    int64_t bytes = 0;              // of its outputs
    bool is_leaf = false;
    std::string name;  // of a leaf, if it was given one
  };
  struct Arrow {
    int from, to;
  };                       // from an input's box to the operation that used it
  std::vector<Box> boxes;  // inputs before the operations that use them
  std::vector<Arrow> arrows;
};

struct NamedVariable {
  std::string name;
  Variable variable;
};
// All nodes that y depends on. Leaves in `names` get their names. Of a freed graph only the remaining part is shown.
GraphPicture picture(const Variable& y, const std::vector<NamedVariable>& names = {});

// The picture in the DOT language, with modules as nested clusters:  dot -Tsvg graph.dot > graph.svg
std::string to_dot(const GraphPicture& graph);

}  // namespace heed
