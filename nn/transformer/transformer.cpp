#include "nn/transformer/transformer.h"

#include "autograd/ops.h"
#include "nn/padding.h"
#include "nn/transformer/stack_call.h"
#include "nn/transformer/transformer_output.h"

namespace heed::nn {

template <class F>
Variable TransformerLayer::residual(const AnyNorm& norm, const Variable& x, const F& f) const {
  return options.norm_first ? x + dropout(f(norm(x))) : norm(x + dropout(f(x)));
}

Variable TransformerLayer::encoder_layer(const Variable& x, LayerCall& call) const {
  Variable h = residual(norm1, x, [&](const Variable& in) { return self_attention(in, call); });
  return residual(norm2, h, feed_forward);
}

Variable TransformerLayer::decoder_layer(const Variable& x, LayerCall& call) const {
  Variable h = residual(norm1, x, [&](const Variable& in) { return self_attention(in, call); });
  h = residual(norm2, h, [&](const Variable& in) { return cross_attention(in, call); });
  return residual(*norm3, h, feed_forward);
}

LayerOutput TransformerStack::run(const Variable& x, const LayerInput& in, std::vector<LayerCache>* caches) const {
  Call call(*this);
  StackCall shared(*this, x, in, caches);
  if (shared.one_word_at_a_time()) return in_turn(x, in, *caches);
  LayerOutput h{x, {}};
  if (shared.checkpoints())
    for (size_t i = 0; i < layers.size(); i = shared.next(i))
      h = checkpointed(i, shared.next(i), h.output, shared.layer_input);
  else
    for (size_t i = 0; i < layers.size(); ++i) h = layers[i](h.output, shared.of_layer(i), shared.cache(i));
  if (norm) h.output = (*norm)(h.output);
  return {call.result("output", h.output), h.weights};
}

Transformer::Transformer(const Options& o, Generator& rng)
    : options(completed(o)),
      source_embedding(embedding_of(options, o.source_vocabulary), rng),
      target_embedding(embedding_of(options, o.target_vocabulary), rng),
      encoder(stack_of(options, TransformerPart::encoder), rng),
      decoder(stack_of(options, TransformerPart::decoder), rng),
      output(output_head(options, target_embedding.words, rng)) {
  if (o.tie == "all") source_embedding.words.weight = target_embedding.words.weight;
  require_weights_to_copy(*this);
}

Transformer::Encoded Transformer::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  require_source(source, lengths);
  Tensor words = length_mask(lengths, source.size(1));
  Variable m = encoder(source_embedding(output->source_words(source)), {.self = {.words = words}}).output;
  m = call.result("annotations", m);
  OutputSource read = output_source(source, lengths);
  read.states = m;
  return {.annotations = m, .words = words, .read = read};
}

Transformer::Decoded Transformer::decode(const Tensor& target_in, const Encoded& source, const Decoding& how) const {
  Call call(*this);
  require_target(target_in, source);
  int64_t first = how.caches && !how.caches->empty() ? how.caches->front().words() : 0;
  bool weights_wanted = how.weights || output->needs_alignment();
  auto [h, weights] =
      decoder(target_embedding(output->target_words(target_in, source.read), {.first = first}),
              {.memory = source.annotations, .cross = {.words = source.words, .weights = weights_wanted}}, how.caches);
  return {h, weights};
}

Variable Transformer::logits(const Variable& features, const Variable& alignment, const OutputSource& source) const {
  Call call(*this);
  return call.result("logits", (*output)(features, alignment, source));
}

Variable Transformer::operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                                 Variable* alignment) const {
  Call call(*this);
  Encoded encoded = encode(source, lengths);
  Decoded decoded = decode(target_in, encoded, {.weights = alignment != nullptr});
  if (alignment) *alignment = alignment_of(decoded.weights);
  return logits(decoded, encoded.read);
}

}  // namespace heed::nn
