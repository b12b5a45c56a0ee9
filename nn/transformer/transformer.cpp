#include "nn/transformer/transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/padding.h"

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

Variable alignment_of(const Variable& weights) { return mean(weights, {1}); }

namespace {

void begin_output(Linear& layer, const TransformerOptions& o, const Embedding& words, bool tied, Generator& rng) {
  double spread = 1 / std::sqrt(static_cast<double>(o.model));
  layer.weight = tied ? words.weight : normal_parameter(layer.weight.shape(), spread, rng);
  if (o.output_bias) layer.bias = zeros_parameter(layer.bias.shape());
}

std::unique_ptr<OutputHead> output_head(const TransformerOptions& o, const Embedding& words, Generator& rng) {
  std::unique_ptr<OutputHead> head = make_output_head({.name = o.output,
                                                       .features = o.model,
                                                       .vocabulary = o.target_vocabulary,
                                                       .bias = o.output_bias,
                                                       .states = o.model},
                                                      rng);
  if (Linear* layer = head->vocabulary_layer()) begin_output(*layer, o, words, o.tie != "none", rng);
  return head;
}

}  // namespace

Linear output_layer(const TransformerOptions& o, const Embedding& words, bool tied, Generator& rng) {
  Linear layer({.in = o.model, .out = o.target_vocabulary, .bias = o.output_bias}, rng);
  begin_output(layer, o, words, tied, rng);
  return layer;
}

void require_no_copies(const char* model, const TransformerOptions& o) {
  if (output_needs_alignment(o.output))
    throw ValueError(fmt::format(
        "{}: an output that copies needs a decoder with a source; got the output {}; use softmax", model, o.output));
}

Transformer::Transformer(const Options& o, Generator& rng)
    : options(completed(o)),
      source_embedding(embedding_of(options, o.source_vocabulary), rng),
      target_embedding(embedding_of(options, o.target_vocabulary), rng),
      encoder(stack_of(options, TransformerPart::encoder), rng),
      decoder(stack_of(options, TransformerPart::decoder), rng),
      output(output_head(options, target_embedding.words, rng)) {
  if (o.tie == "all") source_embedding.words.weight = target_embedding.words.weight;
  const auto& evaluator = decoder.layers.back().multihead_attn->evaluator;
  if (output->needs_alignment() && evaluator && !evaluator->rows_sum_to_one())
    throw ValueError(fmt::format(
        "Transformer: the output {} copies by weights that sum to 1; got the evaluator {}, whose rows do not", o.output,
        o.evaluator));
  if (output->needs_alignment() && !decoder.layers.back().multihead_attn->normaliser->rows_sum_to_one())
    throw ValueError(fmt::format(
        "Transformer: the output {} copies by weights that sum to 1; got the normaliser {}, whose rows do not",
        o.output, o.normaliser));
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

Transformer::Encoded Transformer::encode(const Packed& source) const {
  Call call(*this);
  Variable x = source_embedding(output->source_words(source.ids), {.places = segment_places(source.segments)});
  encoder.require_distances("packed rows");
  Variable m = encoder(x, {.self = {.allowed = same_segment(source.segments, source.segments)}}).output;
  m = call.result("annotations", m);
  OutputSource read = output_source(source.ids, {});
  read.states = m;
  return {.annotations = m, .segments = source.segments, .read = read};
}

Transformer::Decoded Transformer::decode(const Tensor& target_in, const Encoded& source, const Decoding& how) const {
  Call call(*this);
  require_target(target_in, source);
  int64_t first = how.caches && !how.caches->empty() ? how.caches->front().words() : 0;
  bool weights_too = how.weights || output->needs_alignment();
  auto [h, weights] =
      decoder(target_embedding(output->target_words(target_in, source.read), {.first = first}),
              {.memory = source.annotations, .cross = {.words = source.words, .weights = weights_too}}, how.caches);
  return {h, weights};
}

Transformer::Decoded Transformer::decode(const Packed& target_in, const Encoded& source) const {
  Call call(*this);
  require_target(target_in.ids, source);
  decoder.require_distances("packed rows");
  const Tensor& segments = target_in.segments;
  Tensor words = output->target_words(target_in.ids, source.read);
  auto [h, weights] =
      decoder(target_embedding(words, {.places = segment_places(segments)}),
              {.self = {.allowed = same_segment(segments, segments)},
               .memory = source.annotations,
               .cross = {.allowed = same_segment(segments, source.segments), .weights = output->needs_alignment()}});
  return {h, weights};
}

Variable Transformer::logits(const Variable& features, const Variable& alignment, const OutputSource& source) const {
  Call call(*this);
  return call.result("logits", (*output)(features, alignment, source));
}
Variable Transformer::logits(const Decoded& decoded, const OutputSource& source) const {
  return logits(decoded.features, output->needs_alignment() ? alignment_of(decoded.weights) : Variable(), source);
}

Variable Transformer::operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                                 Variable* alignment) const {
  Call call(*this);
  Encoded encoded = encode(source, lengths);
  Decoded decoded = decode(target_in, encoded, {.weights = alignment != nullptr});
  if (alignment) *alignment = alignment_of(decoded.weights);
  return logits(decoded, encoded.read);
}

Variable Transformer::operator()(const Packed& source, const Packed& target_in) const {
  Call call(*this);
  Encoded encoded = encode(source);
  return logits(decode(target_in, encoded), encoded.read);
}

}  // namespace heed::nn
