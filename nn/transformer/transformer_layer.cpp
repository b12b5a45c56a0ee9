#include "nn/transformer/transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/made_if.h"
#include "nn/padding.h"
#include "tensor/elementwise.h"

namespace heed::nn {

std::unique_ptr<HeadPosition> kind_of(HeadPositionOptions o) {
  Generator unused(0);
  o.query = o.key = 2, o.heads = 1;
  return make_head_position(o, unused);
}

ScoreOptions score_of(const TransformerLayerOptions& o) {
  ScoreOptions score = o.score;
  if (score.name.empty())
    score.name = default_stage(Kind::score, kind_of(o.position)->unscaled() ? Role::unscaled_head : Role::head);
  return score;
}

namespace {

MultiHeadOptions heads_of(const TransformerLayerOptions& o) {
  return {.model = o.model,
          .heads = o.heads,
          .dropout = o.attention_dropout,
          .score = score_of(o),
          .normaliser = o.normaliser,
          .kv_heads = o.kv_heads,
          .evaluator = o.evaluator,
          .around = o.around,
          .layer = o.layer,
          .layers = o.layers};
}
// The scope and causal. & binds closer than |, so each part of a|b is joined with causal.
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

}  // namespace

void begin_unscaled(MultiHeadAttention& attention) {
  int64_t D = attention.options.model;
  Variable& first = attention.options.shared_keys ? attention.q_proj_weight : attention.in_proj_weight;
  Tensor queries = first.value().slice(0, 0, D);
  double root = std::sqrt(static_cast<double>(D / attention.options.heads));
  scale_into(queries, 1 / root);
}

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
  if (o.causal && multihead_attn) multihead_attn->require_steps_apart("TransformerLayer");
  for (MultiHeadAttention* attention :
       {self_attn ? &*self_attn : nullptr, multihead_attn ? &*multihead_attn : nullptr}) {
    if (!attention) continue;
    attention->out_proj.weight = xavier_parameter({o.model, o.model}, rng);  // as nn.Transformer begins
    if (kind_of(o.position)->unscaled()) begin_unscaled(*attention);
  }
}

std::unique_ptr<AttentionMemory> TransformerLayer::memory() const {
  return mixer ? mixer->memory() : self_attn->memory();
}

Variable TransformerLayer::self_attention(const Variable& x, LayerCall& call) const {
  HeadMasks masks = call.in.self;
  LayerCache* cache = call.cache;
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
    MixerInput in{.words = masks.words, .weights = masks.weights, .passed = masks.passed};
    Mixed seen = cache ? mixer->extend(x, *cache->self, in) : (*mixer)(x, in);
    return call.shows({seen.output, seen.weights});
  }
  if (!cache) return call.shows((*self_attn)(x, masks));
  masks.state = &cache->state;
  return call.shows(self_attn->extend(x, *cache->self, masks));
}

Variable TransformerLayer::cross_attention(const Variable& x, LayerCall& call) const {
  const LayerInput& in = call.in;
  LayerCache* cache = call.cache;
  if (!cache) return call.shows((*multihead_attn)(x, in.memory, in.memory, in.cross));
  if (!cache->cross.keys.defined()) cache->cross = multihead_attn->remember(in.memory, in.memory, {}, in.cross.words);
  HeadMasks masks = in.cross;
  masks.state = &cache->cross_state;
  masks.places.first_query = cache->cross_state.position;
  return call.shows((*multihead_attn)(x, cache->cross, masks));
}

void TransformerLayer::visit(Visitor& v) {
  if (self_attn) v.child("self_attn", *self_attn);
  if (mixer) v.child("mixer", *mixer);
  if (multihead_attn) v.child("multihead_attn", *multihead_attn);
  feed_forward.visit(v);  // linear1, linear2
  v.child("norm1", norm1);
  v.child("norm2", norm2);
  if (norm3) v.child("norm3", *norm3);
  v.child("dropout", dropout);
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
  LayerCall own{in, cache};
  const Variable h = cache ? x : without_padding(x, in.self.words);
  const Variable y = options.cross ? decoder_layer(h, own) : encoder_layer(h, own);
  return {call.result("output", y), own.weights};
}

}  // namespace heed::nn
