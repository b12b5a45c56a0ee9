#include "nn/transformer/transformer_reader.h"

#include "nn/padding.h"

namespace heed::nn {
namespace {

TokenEmbeddingOptions with_kinds(const TransformerOptions& o) {
  TokenEmbeddingOptions e = embedding_of(o, o.source_vocabulary);
  e.kinds = o.token_types;
  return e;
}

}  // namespace

TransformerReader::TransformerReader(const Options& o, Generator& rng)
    : options((require_no_copies("TransformerReader", o), completed(o))),
      embedding(with_kinds(options), rng),
      encoder(stack_of(options, TransformerPart::encoder), rng) {}

Variable TransformerReader::operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds) const {
  Call call(*this);
  Variable x = embedding(ids, {.kinds = kinds});
  return call.result("annotations", encoder(x, {.self = {.words = length_mask(lengths, ids.size(1))}}).output);
}

Variable TransformerReader::operator()(const Packed& text) const {
  Call call(*this);
  Variable x = embedding(text.ids, {.places = segment_places(text.segments)});
  encoder.require_distances("packed rows");
  Tensor allowed = same_segment(text.segments, text.segments);
  return call.result("annotations", encoder(x, {.self = {.allowed = allowed}}).output);
}

}  // namespace heed::nn
