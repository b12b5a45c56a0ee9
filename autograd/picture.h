// The graph as data and as a picture: what a value was made of.
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
    std::string name;  // of a leaf, where one was given
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
// All nodes that y depends on. Leaves found in `names` carry their name. A freed graph shows only what is left of it.
GraphPicture picture(const Variable& y, const std::vector<NamedVariable>& names = {});

// The same in the DOT language, modules as nested clusters:  dot -Tsvg graph.dot > graph.svg
std::string to_dot(const GraphPicture& graph);

}  // namespace heed
