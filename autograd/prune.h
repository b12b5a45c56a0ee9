// Which way leads to the inputs that grad() asks for.
#pragma once

#include <unordered_set>
#include <vector>

#include "autograd/node.h"

namespace heed {

// The nodes on the ways from `outputs` to `inputs`. A freed node counts: where it led is not known any more, so a pass
// must go there and say so, instead of leaving a part of the gradient out.
std::unordered_set<const Node*> nodes_leading_to(const std::vector<Variable>& inputs,
                                                 const std::vector<Variable>& outputs);

}  // namespace heed
