// Checkpointing: checkpoint(f, x, ..) is the value of f(x, ..), but the intermediate values of f are not stored.
// Backward runs f a second time to compute them again.
//
//   Variable y = checkpoint([&](const Variable& h) { return layer(h); }, x);
//
// n layers in k checkpoints need memory for k inputs and for the intermediate values of one checkpoint (n / k layers),
// instead of those of n layers. The price is a second forward pass (Chen, Xu, Zhang and Guestrin, "Training deep nets
// with sublinear memory cost", 2016).
//
// f may capture variables and modules, such as parameters; they receive their gradients. It may use random generators,
// captured or its own: the second run draws the same numbers. f must compute on the calling thread, everything that it
// refers to must live until backward, and it must depend on nothing else: backward throws a GraphError if the second
// run gives different bits. Gradients, of any order, have the same bits as without the checkpoint. Hooks of modules
// inside f are called in both runs.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// The same for several outputs. f captures its inputs; `inputs` lists them so that overwriting one before backward is
// an error.
std::vector<Variable> checkpoint_many(std::function<std::vector<Variable>()> f, const std::vector<Variable>& inputs);

template <class F, class... Inputs>  // F: Variable(const Inputs&...)
Variable checkpoint(F f, const Inputs&... inputs) {
  return checkpoint_many([=] { return std::vector<Variable>{f(inputs...)}; }, {inputs...})[0];
}

}  // namespace heed
