#include "nn/transformer/transformer_stack.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
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
    if (position) {  // made for products without a root, or not; its bias comes from here
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

Variable TransformerStack::bias(const Variable& x, const Places& places) const {
  return position ? position->bias(unsqueeze(x, 1), places, 1) : Variable();
}

Places TransformerStack::places_of(const Variable& x, const Places& given, size_t i,
                                   std::vector<LayerCache>* caches) const {
  Places places = given;
  places.queries = x.size(1), places.keys = x.size(1);
  if (!caches) return places;
  LayerCache& cache = caches->at(i);
  if (!cache.self) cache.self = layers[i].memory();
  const KeptKeys keys = kept(i, x.size(1), *caches);
  places.keys = keys.count();
  return with_keys(places, keys, x.size(1));
}

KeptKeys TransformerStack::kept(size_t i, int64_t count, const std::vector<LayerCache>& caches) const {
  if (!layers[i].options.shared_keys) return caches[i].kept_after(count);
  return caches[i - i % static_cast<size_t>(options.shared_keys)].self->kept();  // that layer has appended already
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

bool TransformerStack::passes_on() const {
  const Arounds& around = options.layer.around;
  return options.shared_keys > 1 ||
         std::any_of(around.begin(), around.end(), [](const auto& one) { return around_row(one.name).passes; }) ||
         std::any_of(layers.begin(), layers.end(), [](const auto& one) { return one.mixer && one.mixer->passes(); });
}

LayerOutput TransformerStack::run(const Variable& x, const LayerInput& in, std::vector<LayerCache>* caches) const {
  Call call(*this);
  if (caches && caches->empty()) caches->resize(layers.size());
  if (caches && x.rank() == 3 && x.size(1) > 1) {
    auto one_by_one = [&](LayerCache& cache) { return cache.self && cache.self->one_word_at_a_time(); };
    for (size_t i = 0; i < layers.size(); ++i)
      if (LayerCache& cache = caches->at(i); !cache.self) cache.self = layers[i].memory();
    if (std::any_of(caches->begin(), caches->end(), one_by_one)) return in_turn(x, in, *caches);
  }
  LayerOutput h{x, {}};
  LayerInput seen = in;
  Passed passed;
  if (passes_on()) seen.self.passed = &passed;
  Variable more;              // the bias of the shared position
  int64_t of_first_key = -1;  // the first key that it is for, in a row without gaps
  if (checkpoint > 0 && grad_enabled() && !caches && !in.self.state && !in.cross.state) {
    if (Variable own = bias(x, places_of(x, in.self.places, 0, nullptr)); own.defined())
      seen.self.bias = in.self.bias.defined() ? beside_heads(in.self.bias) + own : own;
    for (size_t i = 0; i < layers.size(); i += static_cast<size_t>(checkpoint))
      h = checkpointed(i, std::min(i + static_cast<size_t>(checkpoint), layers.size()), h.output, seen);
    return finished(call, h);
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    if (position) {
      Places places = places_of(x, in.self.places, i, caches);
      if (places.key_at.defined() || places.first_key != of_first_key)
        more = bias(x, places), of_first_key = places.first_key;
      if (more.defined()) seen.self.bias = in.self.bias.defined() ? beside_heads(in.self.bias) + more : more;
    }
    bool shown = i + 1 == layers.size();
    if (caches) seen.self.words = of_kept(in.self.words, kept(i, x.size(1), *caches));
    seen.self.weights = shown && in.self.weights, seen.cross.weights = shown && in.cross.weights;
    h = layers[i](h.output, seen, caches ? &caches->at(i) : nullptr);
  }
  return finished(call, h);
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

LayerOutput TransformerStack::finished(Call& call, LayerOutput h) const {
  if (norm) h.output = (*norm)(h.output);
  h.output = call.result("output", h.output);
  return h;
}

}  // namespace heed::nn
