#include "nn/transformer/transformer_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"
#include "nn/made_if.h"
#include "nn/padding.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

// What a position by these options would say of itself.
std::unique_ptr<HeadPosition> like(HeadPositionOptions o, int64_t model = 2, int64_t heads = 1) {
  Generator unused(0);
  o.query = o.key = model / heads, o.heads = heads;
  return make_head_position(o, unused);
}
MultiHeadOptions heads_of(const TransformerLayerOptions& o) {
  ScoreOptions score = o.score;
  if (score.name.empty())
    score.name = default_stage(Kind::score, like(o.position)->unscaled() ? Role::unscaled_head : Role::head);
  return {.model = o.model,
          .heads = o.heads,
          .dropout = o.attention_dropout,
          .score = score,
          .normaliser = o.normaliser,
          .kv_heads = o.kv_heads,
          .evaluator = o.evaluator,
          .around = o.around,
          .layer = o.layer,
          .layers = o.layers};
}
// & binds closer than |, so every part of a|b becomes causal.
std::string causal_and(std::string scope) {
  const std::string causal = default_stage(Kind::scope, Role::causal) + "&";
  for (size_t at = scope.find('|'); at != std::string::npos; at = scope.find('|', at + 1)) scope.insert(at + 1, causal);
  return causal + scope;
}

MultiHeadOptions self_heads_of(const TransformerLayerOptions& o) {
  MultiHeadOptions heads = heads_of(o);
  heads.scope = o.scope;
  if (o.causal && (o.scope.name.empty() || o.scope.name == default_stage(Kind::scope)))
    heads.scope.name = default_stage(Kind::scope, Role::causal);
  else if (o.causal)
    heads.scope = {.name = causal_and(text_of(Kind::scope, o.scope))};
  heads.position = o.position, heads.position.causal = o.causal;
  heads.shared_keys = o.shared_keys;
  return heads;
}
MultiHeadOptions cross_heads_of(const TransformerLayerOptions& o) {
  MultiHeadOptions heads = heads_of(o);
  heads.cross = true;
  if (o.cross_evaluator) heads.evaluator = *o.cross_evaluator;
  return heads;
}
AnyNormOptions norm_of(const TransformerLayerOptions& o) { return {.name = o.norm, .width = o.model}; }

std::unique_ptr<Mixer> mixer_of(const TransformerLayerOptions& o, Generator& rng) {
  if (o.mixer.name.empty()) return nullptr;
  Generator unused(0);
  for (const ChosenAround& one : o.around)
    for (const auto& wrapper : make_arounds({one}, {.model = o.model, .heads = o.heads, .layer = o.layer}, unused))
      if (std::string why = wrapper->needs_attention(); !why.empty())
        throw ValueError(fmt::format("TransformerLayer: {}; got {} with the mixer {}", why, one.name, o.mixer.name));
  MixerOptions mixer = o.mixer;
  mixer.query = mixer.key = o.model, mixer.heads = o.heads, mixer.causal = o.causal, mixer.layer = o.layer,
  mixer.layers = o.layers;
  return make_mixer(mixer, rng);
}

// What a score that is not divided by a root would have been divided by: the first queries are (Raffel et al.'s code).
void begin_unscaled(MultiHeadAttention& attention) {
  int64_t D = attention.options.model;
  Variable& first = attention.options.shared_keys ? attention.q_proj_weight : attention.in_proj_weight;
  Tensor queries = first.value().slice(0, 0, D);
  double root = std::sqrt(static_cast<double>(D / attention.options.heads));
  scale_into(queries, 1 / root);
}

std::unique_ptr<HeadPosition> shared_of(const TransformerLayerOptions& o, Generator& rng) {
  if (!like(o.position)->shared()) return nullptr;
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
  return o;
}

}  // namespace

TransformerLayer::TransformerLayer(const Options& o, Generator& rng)
    : options(o),
      self_attn(made_if<MultiHeadAttention>(o.mixer.name.empty(), self_heads_of(o), rng)),
      mixer(mixer_of(o, rng)),
      multihead_attn(made_if<MultiHeadAttention>(o.cross, cross_heads_of(o), rng)),
      feed_forward({.model = o.model, .inner = o.inner, .activation = o.activation, .dropout = o.inner_dropout}, rng),
      norm1(norm_of(o), rng),
      norm2(norm_of(o), rng),
      norm3(made_if<AnyNorm>(o.cross, norm_of(o), rng)),
      dropout({.p = o.dropout}, rng) {
  for (MultiHeadAttention* attention :
       {self_attn ? &*self_attn : nullptr, multihead_attn ? &*multihead_attn : nullptr}) {
    if (!attention) continue;
    attention->out_proj.weight = xavier_parameter({o.model, o.model}, rng);  // as nn.Transformer begins
    if (like(o.position)->unscaled()) begin_unscaled(*attention);
  }
}

std::unique_ptr<AttentionMemory> TransformerLayer::memory() const {
  return mixer ? mixer->memory() : self_attn->memory();
}

MultiHeadOutput TransformerLayer::look_back(const Variable& x, HeadMasks masks, LayerCache* cache) const {
  if (mixer && (masks.allowed.defined() || masks.bias.defined() || masks.heads.defined()))
    throw ValueError(
        fmt::format("TransformerLayer: a mixer takes the key padding mask alone; got {} for the mixer {}; hint: one "
                    "sentence per row",
                    masks.allowed.defined() ? "an attention mask"
                    : masks.bias.defined()  ? "a bias"
                                            : "factors of heads",
                    options.mixer.name));
  if (cache && !cache->self) cache->self = memory();
  if (mixer) {
    MixerInput in{.words = masks.words, .weights = masks.weights};
    Mixed seen = cache ? mixer->extend(x, *cache->self, in) : (*mixer)(x, in);
    return {seen.output, seen.weights};
  }
  if (!cache) return (*self_attn)(x, masks);
  masks.state = &cache->state;
  return self_attn->extend(x, *cache->self, masks);
}

MultiHeadOutput TransformerLayer::look_at_source(const Variable& x, const LayerInput& in, LayerCache* cache) const {
  if (!cache) return (*multihead_attn)(x, in.memory, in.memory, in.cross);
  if (!cache->cross.keys.defined()) cache->cross = multihead_attn->remember(in.memory, in.memory, {}, in.cross.words);
  HeadMasks masks = in.cross;
  masks.state = &cache->cross_state;
  masks.places.first_query = cache->cross_state.position;
  return (*multihead_attn)(x, cache->cross, masks);
}

void LayerCache::keep(const Tensor& rows) {
  if (self) self->keep(rows);
  state.keep(rows);
  cross_state.keep(rows);
}

Undo LayerCache::undo() {
  Undo words = self ? self->undo() : [this] { self.reset(); };
  return [this, words = std::move(words), source = cross, kept = state, of_source = cross_state] {
    words();
    cross = source, state = kept, cross_state = of_source;
  };
}

LayerOutput TransformerLayer::operator()(const Variable& x, const LayerInput& in, LayerCache* cache) const {
  if (!cache) return run(x, in, cache);
  return or_undo(cache->undo(), [&] { return run(x, in, cache); });
}

LayerOutput TransformerLayer::run(const Variable& x, const LayerInput& in, LayerCache* cache) const {
  Call call(*this);
  bool has_source = in.memory.defined() || (cache && cache->cross.keys.defined());
  if (options.cross != has_source)
    throw ValueError(fmt::format("TransformerLayer: a source is what cross-attention reads; got {}",
                                 has_source ? "one for a layer without cross-attention" : "none"));
  LayerOutput out{cache ? x : without_padding(x, in.self.words), {}};
  auto beside = [&](const AnyNorm& norm, auto&& f) {
    const Variable& h = out.output;
    out.output = options.norm_first ? h + dropout(f(norm(h))) : norm(h + dropout(f(h)));
  };
  auto output_of = [&](MultiHeadOutput seen) {
    out.weights = seen.weights;
    return seen.output;
  };
  beside(norm1, [&](const Variable& h) { return output_of(look_back(h, in.self, cache)); });
  if (options.cross) beside(norm2, [&](const Variable& h) { return output_of(look_at_source(h, in, cache)); });
  beside(options.cross ? *norm3 : norm2, [&](const Variable& h) { return feed_forward(h); });
  out.output = call.result("output", out.output);
  return out;
}

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
      norm(made_if<AnyNorm>(o.final_norm, norm_of(o.layer), rng)) {
  for (int64_t i = 0; i < o.layers; ++i) {
    TransformerLayerOptions layer = layer_of(o, i);
    if (position && !layer.mixer.name.empty())
      throw ValueError(
          fmt::format("TransformerStack: the position {} is shared by the attention of all layers; got the mixer {}; "
                      "hint: a position of the embedding, such as sinusoidal",
                      o.layer.position.name, layer.mixer.name));
    if (position) {  // made for products without a root, or not; its bias comes from here
      layer.score = heads_of(o.layer).score;
      layer.position = {};
    }
    layers.emplace_back(layer, rng);
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
  places.first_query = cache.words(), places.first_key = first_key(i, x.size(1), *caches);
  places.keys = places.first_query + x.size(1) - places.first_key;
  return places;
}

int64_t TransformerStack::first_key(size_t i, int64_t count, const std::vector<LayerCache>& caches) const {
  if (!layers[i].options.shared_keys) return caches[i].first_key_after(count);
  return caches[i - i % static_cast<size_t>(options.shared_keys)].first_key();  // that layer has appended already
}

namespace {
// Of a mask of all words so far, those whose keys the layer still has: a ring has dropped the ones before.
Tensor words_from(const Tensor& words, int64_t first) {
  return words.defined() && first > 0 ? words.slice(1, first, words.size(1)).contiguous() : words;
}
}  // namespace

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

namespace {
bool passes_on(const TransformerStackOptions& o) {
  auto passes = [](const ChosenAround& one) { return around_row(one.name).passes; };
  return o.shared_keys > 1 || std::any_of(o.layer.around.begin(), o.layer.around.end(), passes);
}
}  // namespace

LayerOutput TransformerStack::run(const Variable& x, const LayerInput& in, std::vector<LayerCache>* caches) const {
  Call call(*this);
  if (caches && caches->empty()) caches->resize(layers.size());
  LayerOutput h{x, {}};
  LayerInput seen = in;
  Passed passed;
  if (passes_on(options)) seen.self.passed = &passed;
  Variable more;              // the bias of the shared position
  int64_t of_first_key = -1;  // the first key that it is for
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
      if (places.first_key != of_first_key) more = bias(x, places), of_first_key = places.first_key;
      if (more.defined()) seen.self.bias = in.self.bias.defined() ? beside_heads(in.self.bias) + more : more;
    }
    bool shown = i + 1 == layers.size();
    if (caches) seen.self.words = words_from(in.self.words, first_key(i, x.size(1), *caches));
    seen.self.weights = shown && in.self.weights, seen.cross.weights = shown && in.cross.weights;
    h = layers[i](h.output, seen, caches ? &caches->at(i) : nullptr);
  }
  return finished(call, h);
}

LayerOutput TransformerStack::finished(Call& call, LayerOutput h) const {
  if (norm) h.output = (*norm)(h.output);
  h.output = call.result("output", h.output);
  return h;
}

}  // namespace heed::nn
