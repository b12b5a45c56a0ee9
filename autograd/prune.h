// Pruning: which nodes a gradient with respect to given inputs needs.
#pragma once

#include <unordered_set>
#include <vector>

#include "autograd/node.h"

namespace heed {

// The nodes on the paths from `outputs` to `inputs`. A freed node counts as one of them: its edges are no longer known,
// so the pass must visit it and report the error, instead of leaving out a part of the gradient.
std::unordered_set<const Node*> nodes_leading_to(const std::vector<Variable>& inputs,
                                                 const std::vector<Variable>& outputs);

}  // namespace heed
