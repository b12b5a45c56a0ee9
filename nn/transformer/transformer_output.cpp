#include "nn/transformer/transformer_output.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

void begin_output(Linear& layer, const TransformerOptions& o, const Embedding& words, bool tied, Generator& rng) {
  double spread = 1 / std::sqrt(static_cast<double>(o.model));
  layer.weight = tied ? words.weight : normal_parameter(layer.weight.shape(), spread, rng);
  if (o.output_bias) layer.bias = zeros_parameter(layer.bias.shape());
}

}  // namespace

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

void require_weights_to_copy(const Transformer& model) {
  const MultiHeadAttention& read = *model.decoder.layers.back().multihead_attn;
  const TransformerOptions& o = model.options;
  if (model.output->needs_alignment() && read.evaluator && !read.evaluator->rows_sum_to_one())
    throw ValueError(fmt::format(
        "Transformer: the output {} copies by weights that sum to 1; got the evaluator {}, whose rows do not", o.output,
        o.evaluator));
  if (model.output->needs_alignment() && !read.normaliser->rows_sum_to_one())
    throw ValueError(fmt::format(
        "Transformer: the output {} copies by weights that sum to 1; got the normaliser {}, whose rows do not",
        o.output, o.normaliser));
}

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

Variable Transformer::logits(const Decoded& decoded, const OutputSource& source) const {
  return logits(decoded.features, output->needs_alignment() ? alignment_of(decoded.weights) : Variable(), source);
}

Variable alignment_of(const Variable& weights) { return mean(weights, {1}); }

Variable Transformer::encoder_outputs(const Tensor& source, const Tensor& lengths) const {
  return encode(source, lengths).annotations;
}
Tensor Transformer::writable(const Tensor& source, const Tensor& lengths) const {
  return output->writable(output_source(source, lengths));
}

void Transformer::visit(Visitor& v) {
  v.child("source_embedding", source_embedding), v.child("target_embedding", target_embedding);
  v.child("encoder", encoder), v.child("decoder", decoder);
  v.child("output", *output);
}

}  // namespace heed::nn
