#include "nn/transformer/transformer.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/made_if.h"

namespace heed::nn {
namespace {

std::unique_ptr<HeadPosition> shared_of(const TransformerLayerOptions& o, Generator& rng) {
  if (!kind_of(o.position)->shared()) return nullptr;
  HeadPositionOptions position = o.position;
  position.query = position.key = o.model / o.heads, position.heads = o.heads, position.causal = o.causal;
  return make_head_position(position, rng);
}

const TransformerStackOptions& checked(const TransformerStackOptions& o) {
  if (o.layers < 1) throw ValueError(fmt::format("TransformerStack: needs at least one layer; got {}", o.layers));
  if (o.shared_keys < 1)
    throw ValueError(
        fmt::format("TransformerStack: layers that share their keys must be at least 1; got {}", o.shared_keys));
  if (o.shared_keys > 1 && !o.mixers.empty())
    throw ValueError("TransformerStack: layers that share keys must be alike; got shared keys and mixers");
  for (const ChosenAround& one : o.layer.around) require_alike("TransformerStack", one.name, !o.mixers.empty());
  return o;
}

}  // namespace

TransformerLayerOptions layer_of(const TransformerStackOptions& stack, int64_t i) {
  TransformerLayerOptions layer = stack.layer;
  if (!stack.mixers.empty()) {
    const LayerMixer& mixer = stack.mixers[static_cast<size_t>(i) % stack.mixers.size()];
    if (!mixer.scope.name.empty()) layer.scope = mixer.scope;
    layer.mixer = mixer.mixer;
    if (!mixer.evaluator.name.empty()) {
      if (!layer.cross_evaluator) layer.cross_evaluator = layer.evaluator;
      layer.evaluator = mixer.evaluator;
    }
  }
  layer.layer = i, layer.layers = stack.layers;
  layer.shared_keys = i % stack.shared_keys > 0;
  return layer;
}

TransformerStack::TransformerStack(const Options& o, Generator& rng)
    : options(checked(o)),
      position(shared_of(o.layer, rng)),
      norm(made_if<AnyNorm>(o.final_norm, AnyNormOptions{.name = o.layer.norm, .width = o.layer.model}, rng)) {
  for (int64_t i = 0; i < o.layers; ++i) {
    TransformerLayerOptions layer = layer_of(o, i);
    if (position && !layer.mixer.name.empty())
      throw ValueError(
          fmt::format("TransformerStack: the position {} is shared by the attention of all layers; got the mixer {}; "
                      "hint: a position of the embedding, such as sinusoidal",
                      o.layer.position.name, layer.mixer.name));
    if (position) {  // layers get the score that it was made for; its bias comes with each call (stack_call.h)
      layer.score = score_of(o.layer);
      layer.position = {};
    }
    layers.emplace_back(layer, rng);
    if (position) layers.back().self_attn->require_evaluated("TransformerStack", *position, o.layer.position.name);
    if (position && position->unscaled()) begin_unscaled(*layers.back().self_attn);
    if (position && position->unscaled() && layer.cross) begin_unscaled(*layers.back().multihead_attn);
  }
}

void TransformerStack::visit(Visitor& v) {
  for (size_t i = 0; i < layers.size(); ++i) v.child(fmt::format("layers.{}", i), layers[i]);
  if (position) v.child(options.layer.position.name, *position);
  if (norm) v.child("norm", *norm);
}

void TransformerStack::require_distances(const char* rows) const {
  for (const TransformerLayer& layer : layers) {
    if (layer.mixer)
      throw ValueError(fmt::format(
          "TransformerStack: {} need attention, which reads a mask; got the mixer {}; hint: one sentence per row", rows,
          layer.options.mixer.name));
    const MultiHeadAttention& a = *layer.self_attn;
    if (a.reads_places() || a.set().sequential() || !a.normaliser->row_wise())
      throw ValueError(
          fmt::format("TransformerStack: {} need stages that read distances only; got the score {}, the "
                      "scope {}, the normaliser {}, the position {}, the evaluator {}; hint: one sentence per row, "
                      "from its first place",
                      rows, a.stages.score.name, a.stages.scope.name, a.stages.normaliser.name, a.stages.position.name,
                      a.stages.evaluator.name));
  }
}

LayerOutput TransformerStack::operator()(const Variable& x, const LayerInput& in,
                                         std::vector<LayerCache>* caches) const {
  if (!caches) return run(x, in, caches);
  std::vector<Undo> of_each;
  for (LayerCache& cache : *caches) of_each.push_back(cache.undo());
  auto undo = [&] {
    for (const Undo& of_one : of_each) of_one();
    if (of_each.empty()) caches->clear();
  };
  return or_undo(undo, [&] { return run(x, in, caches); });
}

LayerOutput TransformerStack::in_turn(const Variable& x, const LayerInput& in, std::vector<LayerCache>& caches) const {
  std::vector<Variable> outputs;
  for (int64_t t = 0, n = x.size(1); t < n; ++t) {
    LayerInput one = in;
    if (const Tensor& words = in.self.words; words.defined())
      one.self.words = words.slice(1, 0, words.size(1) - n + t + 1).contiguous();
    outputs.push_back(run(slice(x, 1, t, t + 1), one, &caches).output);
  }
  return {concat(outputs, 1), {}};
}

}  // namespace heed::nn
