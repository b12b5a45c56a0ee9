#include "tutorials/app/mine/transformer.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/module.h"
#include "nn/padding.h"

namespace heed::app {
namespace {

bool is_attention_bias(const std::string& name) {
  return name.ends_with("in_proj_bias") || name.ends_with("out_proj.bias");
}

mine::Parameters parameters_of(const nn::TransformerLayer& l) {
  const HeadWeights w = weights_of(*l.self_attn);
  const Variable none(Tensor::zeros({w.W_q.size(0)}, w.W_q.dtype()));
  return {.heads = w.heads,
          .query = {w.W_q, none},
          .key = {w.W_k, none},
          .value = {w.W_v, none},
          .output = {w.W_o, none},
          .first = affine_of(l.feed_forward.linear1),
          .second = affine_of(l.feed_forward.linear2),
          .norm1 = affine_of(l.norm1),
          .norm2 = affine_of(l.norm2)};
}

// The masks of the pieces, one for each sentence: [B, T, T] and [B, T, S].
Tensor causal_of(const Pieces& pieces, int64_t B, int64_t T) {
  return Tensor::from_bools(pieces.causal_mask(T), {1, T, T}).expand({B, T, T});
}
Tensor padding_of(const Pieces& pieces, const Tensor& lengths, int64_t T, int64_t S) {
  std::vector<int> all;
  for (double words : lengths.to_vector()) {
    const std::vector<int> one = pieces.padding_mask(static_cast<int64_t>(words), T, S);
    all.insert(all.end(), one.begin(), one.end());
  }
  return Tensor::from_bools(all, {lengths.count(), T, S});
}

mine::SubLayers sub_layers(const Pieces& p, const nn::TransformerLayer& l, const Tensor& causal, const Tensor& words) {
  auto norm = [&p](const nn::AnyNorm& n) { return [&p, a = affine_of(n)](const Variable& x) { return p.norm(a, x); }; };
  return {.norm1 = norm(l.norm1),
          .norm2 = norm(l.norm2),
          .norm3 = norm(*l.norm3),
          .self_attention = [&p, causal, w = weights_of(*l.self_attn)](
                                const Variable& x) { return p.multi_head(p, x, x, w, causal); },
          .cross_attention = [&p, words, w = weights_of(*l.multihead_attn)](
                                 const Variable& x, const Variable& m) { return p.multi_head(p, x, m, w, words); },
          .feed_forward = [&p, first = affine_of(l.feed_forward.linear1), second = affine_of(l.feed_forward.linear2)](
                              const Variable& x) { return p.feed_forward(p, first, second, x); }};
}

}  // namespace

HeadWeights weights_of(const nn::MultiHeadAttention& a) {
  const int64_t D = a.in_proj_weight.size(1);
  auto part = [&](int64_t i) { return slice(a.in_proj_weight, 0, i * D, (i + 1) * D); };
  return {part(0), part(1), part(2), a.out_proj.weight, a.options.heads};
}
mine::Affine affine_of(const nn::AnyNorm& norm) {
  const auto& n = std::get<nn::LayerNorm>(norm.norm);
  return {n.weight, n.bias};
}
mine::Affine affine_of(const nn::Linear& layer) { return {layer.weight, layer.bias}; }

void remove_attention_biases(std::vector<NamedVariable> all) {
  for (NamedVariable& p : all)
    if (is_attention_bias(p.name)) p.variable.set_value(Tensor::zeros(p.variable.shape(), p.variable.dtype()));
}
std::vector<NamedVariable> without_attention_biases(std::vector<NamedVariable> all) {
  std::erase_if(all, [](const NamedVariable& p) { return is_attention_bias(p.name); });
  return all;
}

Variable with_positions(const Pieces& pieces, const Variable& x) {
  return x + Variable(pieces.positions(x.size(1), x.size(2)).to(x.dtype()));
}

nn::TransformerOptions transformer_options(int64_t model, int64_t heads, int64_t inner, int64_t layers) {
  return {.model = model,
          .heads = heads,
          .inner = inner,
          .encoder_layers = layers,
          .decoder_layers = layers,
          .norm_first = true,
          .dropout = 0};
}

AssembledTransformer::AssembledTransformer(const nn::Transformer::Options& o, Pieces p, Generator& rng)
    : Paper(std::move(p)), model(o, rng) {
  remove_attention_biases(nn::named_parameters(model));
}

nn::Encoded AssembledTransformer::encode(const Tensor& source, const Tensor& lengths) const {
  const double root = std::sqrt(static_cast<double>(model.options.model));
  Variable x = with_positions(pieces, model.source_embedding.words(source) * root);  // [B, S, D]
  std::vector<mine::Parameters> layers;
  for (const nn::TransformerLayer& l : model.encoder.layers) layers.push_back(parameters_of(l));
  Variable m =
      pieces.encoder(pieces, layers, affine_of(*model.encoder.norm), model.source_embedding.dropout(x), lengths);
  return {{{.keys = m, .values = m, .allowed = nn::length_mask(lengths, source.size(1)), .lengths = lengths}}, {}};
}

Variable AssembledTransformer::embed(const Tensor& words) const {
  return model.target_embedding.words(words) * std::sqrt(static_cast<double>(model.options.model));
}

Variable AssembledTransformer::decoder(const Variable& y, const nn::Source& source) const {
  const int64_t B = y.size(0), T = y.size(1);
  const Tensor causal = causal_of(pieces, B, T);
  const Tensor words = padding_of(pieces, source.lengths, T, source.values.size(1));
  Variable x = model.target_embedding.dropout(with_positions(pieces, y));
  for (const nn::TransformerLayer& l : model.decoder.layers)
    x = pieces.decoder_layer(sub_layers(pieces, l, causal, words), x, source.values);
  return pieces.norm(affine_of(*model.decoder.norm), x);
}

nn::Step AssembledTransformer::step(const Variable& y, const nn::DecoderState& before, const nn::Source& source) const {
  nn::DecoderState after = before;
  Variable word = unsqueeze(y, 1);                                             // [B, 1, D]
  after.past = before.past.defined() ? concat({before.past, word}, 1) : word;  // [B, t, D]
  return {after, select(decoder(after.past, source), 1, after.past.size(1) - 1)};
}

std::optional<nn::Decoded> at_once(const AssembledTransformer& model, const Variable& y, const nn::Source& source,
                                   nn::DecoderState& state, bool) {
  if (state.past.defined()) return std::nullopt;
  state.past = y;
  return nn::Decoded{.features = model.decoder(y, source)};
}

Variable AssembledTransformer::logits(const Variable& features) const {
  const nn::Linear& layer = *model.output->vocabulary_layer();
  return pieces.log_p(linear_of(pieces, features, layer.weight, layer.bias));
}

std::vector<NamedVariable> AssembledTransformer::trained() const {
  return without_attention_biases(nn::named_parameters(const_cast<AssembledTransformer&>(*this)));  // changes nothing
}

void compare_transformers(const Pieces& pieces, Comparison& comparison) {
  nn::TransformerOptions sizes = transformer_options(8, 2, 12, 2);
  sizes.source_vocabulary = 9, sizes.target_vocabulary = 11;
  Generator first(7), second(7);
  nn::Transformer library(sizes, first);
  AssembledTransformer ours(sizes, pieces, second);
  remove_attention_biases(nn::named_parameters(library));
  nn::convert(library, DType::f64), nn::convert(ours, DType::f64);
  compare_models(ours, library, comparison);
}

}  // namespace heed::app
