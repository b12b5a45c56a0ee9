// Checkpointing by hand, for a stack of layers: what autograd/checkpoint.h does, in the open.
//
//   forward    run the layers without recording a graph; keep the input and the random numbers of each segment
//   backward   for each segment, the last one first: run it again from its input, now with a graph, draw the same
//              random numbers, and send the gradient of its output through that graph
//
// With other random numbers, dropout removes other units in the second run than in the first, and the gradient is that
// of another network.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "tensor/random.h"

namespace scale {

using heed::Tensor, heed::Variable;
using Layer = std::function<Variable(const Variable&)>;

// Adds the gradients of loss(layers(x)) to those of the parameters, and returns that of x.
inline Tensor by_hand(const std::vector<Layer>& layers, size_t per_segment, const Tensor& x, const Layer& loss,
                      bool same_numbers = true) {
  struct Kept {
    Tensor input;
    std::vector<heed::GeneratorLog::Draw> drawn;
  };
  std::vector<Kept> kept;
  auto run = [&](size_t segment, Variable h) {
    for (size_t i = segment * per_segment; i < std::min((segment + 1) * per_segment, layers.size()); ++i)
      h = layers[i](h);
    return h;
  };
  Variable h(x);
  for (size_t s = 0; s * per_segment < layers.size(); ++s) {
    heed::NoGrad no_graph;
    heed::GeneratorLog log;
    kept.push_back({h.value(), {}});
    h = run(s, h);
    kept.back().drawn = log.draws();
  }
  Variable top(h.value(), Variable::kRequiresGrad);
  backward(loss(top));
  Tensor gradient = top.grad();
  for (; !kept.empty(); kept.pop_back()) {
    Variable input(kept.back().input, Variable::kRequiresGrad);
    std::optional<heed::GeneratorReplay> replay;
    if (same_numbers) replay.emplace(kept.back().drawn);
    backward(run(kept.size() - 1, input), {.seed = gradient});
    gradient = input.grad();
  }
  return gradient;
}

}  // namespace scale
