#include "nn/transformer/transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/recurrent/padding.h"

namespace heed::nn {
namespace {

void require_source(const Tensor& source, const Tensor& lengths) {
  if (source.rank() != 2 || source.dtype() != DType::i64 || source.count() == 0 || lengths.rank() != 1 ||
      lengths.size(0) != source.size(0))
    throw ShapeError(
        fmt::format("Transformer: needs a source [B, S] i64 of at least one word, and lengths [B]; got {} {} and {}",
                    name_of(source.dtype()), to_string(source.shape()), to_string(lengths.shape())));
}

void require_target(const Tensor& target, const Transformer::Encoded& source) {
  if (target.rank() != 2 || target.size(0) != source.annotations.size(0))
    throw ShapeError(fmt::format("Transformer: needs a target [{}, T], a row for each of the source; got {}",
                                 source.annotations.size(0), to_string(target.shape())));
}

}  // namespace

Tensor alignment_of(const Variable& weights) { return mean(weights.detach(), {1}).value(); }

Linear output_layer(const TransformerOptions& o, const Embedding& words, bool tied, Generator& rng) {
  Linear layer({.in = o.model, .out = o.target_vocabulary, .bias = o.output_bias}, rng);
  double spread = 1 / std::sqrt(static_cast<double>(o.model));
  layer.weight = tied ? words.weight : normal_parameter(layer.weight.shape(), spread, rng);
  if (o.output_bias) layer.bias = zeros_parameter(layer.bias.shape());
  return layer;
}

Transformer::Transformer(const Options& o, Generator& rng)
    : options(completed(o)),
      source_embedding(embedding_of(options, o.source_vocabulary), rng),
      target_embedding(embedding_of(options, o.target_vocabulary), rng),
      encoder(stack_of(options, TransformerPart::encoder), rng),
      decoder(stack_of(options, TransformerPart::decoder), rng),
      output(output_layer(options, target_embedding.words, o.tie != "none", rng)) {
  if (o.tie == "all") source_embedding.words.weight = target_embedding.words.weight;
}

Transformer::Encoded Transformer::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  require_source(source, lengths);
  Tensor words = length_mask(lengths, source.size(1));
  Variable m = encoder(source_embedding(source), {.self = {.words = words}}).output;
  return {.annotations = call.result("annotations", m), .words = words};
}

Transformer::Encoded Transformer::encode(const Packed& source) const {
  Call call(*this);
  Variable x = source_embedding(source.ids, {.places = segment_places(source.segments)});
  encoder.require_distances("packed rows");
  Variable m = encoder(x, {.self = {.allowed = same_segment(source.segments, source.segments)}}).output;
  return {.annotations = call.result("annotations", m), .segments = source.segments};
}

Transformer::Decoded Transformer::decode(const Tensor& target_in, const Encoded& source, const Decoding& how) const {
  Call call(*this);
  require_target(target_in, source);
  int64_t first = how.caches && !how.caches->empty() ? how.caches->front().words() : 0;
  auto [h, weights] =
      decoder(target_embedding(target_in, {.first = first}),
              {.memory = source.annotations, .cross = {.words = source.words, .weights = how.weights}}, how.caches);
  return {h, weights};
}

Transformer::Decoded Transformer::decode(const Packed& target_in, const Encoded& source) const {
  Call call(*this);
  require_target(target_in.ids, source);
  decoder.require_distances("packed rows");
  const Tensor& segments = target_in.segments;
  auto [h, weights] = decoder(target_embedding(target_in.ids, {.places = segment_places(segments)}),
                              {.self = {.allowed = same_segment(segments, segments)},
                               .memory = source.annotations,
                               .cross = {.allowed = same_segment(segments, source.segments)}});
  return {h, weights};
}

Variable Transformer::logits(const Variable& features) const {
  Call call(*this);
  return call.result("logits", output(features));
}

Variable Transformer::operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                                 Tensor* weights) const {
  Call call(*this);
  Decoded decoded = decode(target_in, encode(source, lengths), {.weights = weights != nullptr});
  if (weights) *weights = alignment_of(decoded.weights);
  return logits(decoded.features);
}

Variable Transformer::operator()(const Packed& source, const Packed& target_in) const {
  Call call(*this);
  return logits(decode(target_in, encode(source)).features);
}

}  // namespace heed::nn
