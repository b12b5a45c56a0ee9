// Layers of a stack in one checkpoint (autograd/checkpoint.h): forward keeps their input alone, and backward runs them
// a second time. Less memory, one forward pass more, the same bits. The stack must stay where it is until backward.
//
//   x -> layer first .. layer last - 1 -> output          kept: x and the output
//
// What a plain function of x would not do is taken care of here:
//   penalties   terms that a stage adds to the loss (nn/penalties.h) are outputs of the checkpoint, so that their
//               gradients are computed in the second run, too
//   Passed      what layers pass on: a checkpoint has it as inputs, and what it changes as outputs. Its gradients from
//               several later checkpoints are added in another order, so they are equal up to rounding only
//   Observe     the second run chooses the same evaluators as the first, and reports no weights a second time
#include <memory>
#include <optional>

#include "autograd/checkpoint.h"
#include "nn/observe.h"
#include "nn/penalties.h"
#include "nn/transformer/transformer.h"

namespace heed::nn {
namespace {

struct FirstRun {
  bool penalised = Penalties::active(), observed = Observe::active();
  bool over = false;
  bool weights = false;                    // are the second output
  std::vector<std::string> passed;         // the names of what layers pass on: the outputs that follow
  std::vector<Penalties::Term> penalties;  // the outputs after those, here without their losses
};

}  // namespace

LayerOutput TransformerStack::checkpointed(size_t first, size_t last, const Variable& x, const LayerInput& in) const {
  auto run = std::make_shared<FirstRun>();
  const Passed given = in.self.passed ? *in.self.passed : Passed{};
  auto layers_of_it = [=, this] {
    std::optional<Penalties> penalties;
    if (run->penalised) penalties.emplace();
    std::optional<Observe> quiet;
    if (run->over) quiet.emplace(run->observed ? Observe::Callback([](const AttentionSeen&) {}) : Observe::Callback());
    LayerOutput h{x, {}};
    LayerInput seen = in;
    Passed passed = given, before = given;
    if (in.self.passed) seen.self.passed = &passed;
    for (size_t i = first; i < last; ++i) {
      bool last_layer = i + 1 == layers.size();
      seen.self.weights = last_layer && in.self.weights, seen.cross.weights = last_layer && in.cross.weights;
      h = layers[i](h.output, seen);
    }
    std::vector<Variable> outputs{h.output};
    if (h.weights.defined()) outputs.push_back(h.weights);
    run->weights = h.weights.defined();
    run->passed.clear();
    for (const auto& [name, now] : passed.left)
      if (now.defined() && !now.same_as(before.left[name])) outputs.push_back(now), run->passed.push_back(name);
    run->penalties.clear();
    if (penalties)
      for (const Penalties::Term& term : penalties->terms())
        outputs.push_back(term.loss), run->penalties.push_back({term.name, {}, term.over, term.owner});
    return outputs;
  };
  std::vector<Variable> inputs;
  for (const Variable& v : {x, in.memory, in.self.bias, in.cross.bias})
    if (v.defined()) inputs.push_back(v);
  for (const auto& [name, v] : given.left)
    if (v.defined()) inputs.push_back(v);
  std::vector<Variable> outputs = checkpoint_many(layers_of_it, inputs);
  run->over = true;
  for (size_t k = 0; k < run->passed.size(); ++k) in.self.passed->left[run->passed[k]] = outputs[1 + run->weights + k];
  for (size_t k = 0; k < run->penalties.size(); ++k) {
    Penalties::Term term = run->penalties[k];
    term.loss = outputs[outputs.size() - run->penalties.size() + k];
    Penalties::add_again(term);
  }
  return {outputs[0], run->weights ? outputs[1] : Variable()};
}

}  // namespace heed::nn
