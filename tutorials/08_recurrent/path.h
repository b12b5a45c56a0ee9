// The longest path of a recorded graph: the longest chain of operations that must wait for each other.
#pragma once

#include <algorithm>
#include <set>

#include "autograd/picture.h"

namespace recurrent {

struct LongestPath {
  int64_t operations = 0, steps = 0;  // on the path; `steps`: time steps that it passes (scopes "step 1", "step 2", ..)
};

inline LongestPath longest_path(const heed::Variable& y) {
  heed::GraphPicture graph = heed::picture(y);
  std::vector<int64_t> length(graph.boxes.size());  // of the longest path that ends in this box
  std::vector<int> before(graph.boxes.size(), -1);
  std::vector<std::vector<int>> inputs(graph.boxes.size());
  for (auto [from, to] : graph.arrows) inputs[static_cast<size_t>(to)].push_back(from);
  for (size_t box = 0; box < graph.boxes.size(); ++box) {  // inputs come before the operations that use them
    for (int from : inputs[box])
      if (length[static_cast<size_t>(from)] > length[box]) {
        length[box] = length[static_cast<size_t>(from)];
        before[box] = from;
      }
    length[box] += !graph.boxes[box].is_leaf;
  }
  auto end = static_cast<int>(std::max_element(length.begin(), length.end()) - length.begin());
  LongestPath path{.operations = length[static_cast<size_t>(end)]};
  std::set<std::string> passed;
  for (int box = end; box >= 0; box = before[static_cast<size_t>(box)])
    if (graph.boxes[static_cast<size_t>(box)].module.starts_with("step"))
      passed.insert(graph.boxes[static_cast<size_t>(box)].module);
  path.steps = std::ssize(passed);
  return path;
}

}  // namespace recurrent
