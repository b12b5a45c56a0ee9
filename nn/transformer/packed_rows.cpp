// The models of this folder for packed rows (packing.h): places begin anew in each segment, and a mask keeps the
// segments apart.
#include "nn/transformer/bert.h"
#include "nn/transformer/language_model.h"
#include "nn/transformer/transformer_output.h"

namespace heed::nn {

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

Transformer::Decoded Transformer::decode(const Packed& target_in, const Encoded& source) const {
  Call call(*this);
  require_target(target_in.ids, source);
  decoder.require_distances("packed rows");
  const Tensor& segments = target_in.segments;
  Tensor words = output->target_words(target_in.ids, source.read), places = segment_places(segments);
  auto [h, weights] = decoder(target_embedding(words, {.places = places}),
                              {.self = {.allowed = same_segment(segments, segments)},
                               .memory = source.annotations,
                               .cross = {.allowed = same_segment(segments, source.segments),
                                         .places = {.query_at = places, .key_at = segment_places(source.segments)},
                                         .weights = output->needs_alignment()}});
  return {h, weights};
}

Variable Transformer::operator()(const Packed& source, const Packed& target_in) const {
  Call call(*this);
  Encoded encoded = encode(source);
  return logits(decode(target_in, encoded), encoded.read);
}

Variable LanguageModel::operator()(const Packed& text) const {
  Call call(*this);
  Variable x = embedding(text.ids, {.places = segment_places(text.segments)});
  decoder.require_distances("packed rows");
  Tensor allowed = same_segment(text.segments, text.segments);
  return call.result("logits", output(decoder(x, {.self = {.allowed = allowed}}).output));
}

Variable Bert::operator()(const Packed& text) const {
  Call call(*this);
  Variable x = embedding(text.ids, {.places = segment_places(text.segments)});
  encoder.require_distances("packed rows");
  Tensor allowed = same_segment(text.segments, text.segments);
  return call.result("annotations", encoder(x, {.self = {.allowed = allowed}}).output);
}

}  // namespace heed::nn
