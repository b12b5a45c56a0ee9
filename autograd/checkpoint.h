// checkpoint(f, x, ..): the value of f(x, ..), without keeping what f computes on the way. Backward runs f a second
// time.
//
//   Variable y = checkpoint([&](const Variable& h) { return layer(h); }, x);
//
// A chain of n layers in k checkpoints keeps k inputs and one layer's inner values instead of n layers' inner values,
// for one more forward pass (Chen, Xu, Zhang and Guestrin, "Training deep nets with sublinear memory cost", 2016).
//
// f may use variables and modules that it captures, parameters above all: they get their gradients. It may draw from
// generators: the second run draws the same numbers. All that f refers to must live until backward, and f must be a
// function of these alone, on the calling thread; GraphError from backward if the second run gives other bits.
// Gradients are those of f to the bit, to any order. Hooks of modules inside f see both runs.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// Several outputs. `inputs` are only watched: if one is overwritten before backward, that is an error.
std::vector<Variable> checkpoint_many(std::function<std::vector<Variable>()> f, const std::vector<Variable>& inputs);

template <class F, class... Inputs>  // F: Variable(const Inputs&...)
Variable checkpoint(F f, const Inputs&... inputs) {
  return checkpoint_many([=] { return std::vector<Variable>{f(inputs...)}; }, {inputs...})[0];
}

}  // namespace heed
