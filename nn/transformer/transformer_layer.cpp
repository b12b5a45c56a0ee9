#include "nn/transformer/transformer_layer.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

MultiHeadOptions heads_of(const TransformerLayerOptions& o) {
  return {.model = o.model, .heads = o.heads, .dropout = o.attention_dropout};
}
MultiHeadOptions self_heads_of(const TransformerLayerOptions& o) {
  MultiHeadOptions heads = heads_of(o);
  if (o.causal) heads.scope = {.name = "causal"};
  return heads;
}
AnyNormOptions norm_of(const TransformerLayerOptions& o) { return {.name = o.norm, .width = o.model}; }

template <class M>
std::optional<M> made_if(bool wanted, const typename M::Options& options, Generator& rng) {
  if (!wanted) return std::nullopt;
  return std::optional<M>(std::in_place, options, rng);
}

const TransformerStackOptions& checked(const TransformerStackOptions& o) {
  if (o.layers < 1) throw ValueError(fmt::format("TransformerStack: needs at least one layer; got {}", o.layers));
  return o;
}

}  // namespace

TransformerLayer::TransformerLayer(const Options& o, Generator& rng)
    : options(o),
      self_attn(self_heads_of(o), rng),
      multihead_attn(made_if<MultiHeadAttention>(o.cross, heads_of(o), rng)),
      feed_forward({.model = o.model, .inner = o.inner, .activation = o.activation, .dropout = o.inner_dropout}, rng),
      norm1(norm_of(o), rng),
      norm2(norm_of(o), rng),
      norm3(made_if<AnyNorm>(o.cross, norm_of(o), rng)),
      dropout({.p = o.dropout}, rng) {
  for (MultiHeadAttention* attention : {&self_attn, multihead_attn ? &*multihead_attn : nullptr})
    if (attention) attention->out_proj.weight = xavier_parameter({o.model, o.model}, rng);  // as nn.Transformer begins
}

MultiHeadOutput TransformerLayer::look_back(const Variable& x, HeadMasks masks, LayerCache* cache) const {
  if (!cache) return self_attn(x, masks);
  masks.first = cache->words();
  cache->self.append(self_attn.remember(x, x, masks.first));
  return self_attn(x, cache->self.view(), masks);
}

MultiHeadOutput TransformerLayer::look_at_source(const Variable& x, const LayerInput& in, LayerCache* cache) const {
  if (!cache) return (*multihead_attn)(x, in.memory, in.memory, in.cross);
  if (!cache->cross.keys.defined()) cache->cross = multihead_attn->remember(in.memory, in.memory);
  return (*multihead_attn)(x, cache->cross, in.cross);
}

LayerOutput TransformerLayer::operator()(const Variable& x, const LayerInput& in, LayerCache* cache) const {
  Call call(*this);
  bool has_source = in.memory.defined() || (cache && cache->cross.keys.defined());
  if (options.cross != has_source)
    throw ValueError(fmt::format("TransformerLayer: a source is what cross-attention reads; got {}",
                                 has_source ? "one for a layer without cross-attention" : "none"));
  LayerOutput out{x, {}};
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

TransformerStack::TransformerStack(const Options& o, Generator& rng)
    : options(checked(o)), norm(made_if<AnyNorm>(o.final_norm, norm_of(o.layer), rng)) {
  for (int64_t i = 0; i < o.layers; ++i) layers.emplace_back(o.layer, rng);
}

void TransformerStack::visit(Visitor& v) {
  for (size_t i = 0; i < layers.size(); ++i) v.child(fmt::format("layers.{}", i), layers[i]);
  if (norm) v.child("norm", *norm);
}

LayerOutput TransformerStack::operator()(const Variable& x, const LayerInput& in,
                                         std::vector<LayerCache>* caches) const {
  Call call(*this);
  if (caches && caches->empty()) caches->resize(layers.size());
  LayerOutput h{x, {}};
  LayerInput unseen = in;  // only the last layer shows its weights
  unseen.self.weights = unseen.cross.weights = false;
  for (size_t i = 0; i < layers.size(); ++i)
    h = layers[i](h.output, i + 1 < layers.size() ? unseen : in, caches ? &caches->at(i) : nullptr);
  if (norm) h.output = (*norm)(h.output);
  h.output = call.result("output", h.output);
  return h;
}

}  // namespace heed::nn
