#include "nn/transformer/half_models.h"

#include "autograd/ops.h"
#include "nn/recurrent/padding.h"

namespace heed::nn {
namespace {

TokenEmbeddingOptions with_kinds(const TransformerOptions& o) {
  TokenEmbeddingOptions e = embedding_of(o, o.source_vocabulary);
  e.kinds = o.token_types;
  return e;
}

}  // namespace

TransformerReader::TransformerReader(const Options& o, Generator& rng)
    : options(completed(o)),
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
  Tensor allowed = same_segment(text.segments, text.segments);
  return call.result("annotations", encoder(x, {.self = {.allowed = allowed}}).output);
}

TransformerLanguageModel::TransformerLanguageModel(const Options& o, Generator& rng)
    : options(completed(o)),
      embedding(embedding_of(options, o.target_vocabulary), rng),
      decoder(stack_of(options, TransformerPart::language_model), rng),
      output(output_layer(options, embedding.words, o.tie != "none", rng)) {}

Variable TransformerLanguageModel::operator()(const Tensor& ids, std::vector<LayerCache>* caches) const {
  Call call(*this);
  int64_t first = caches && !caches->empty() ? caches->front().words() : 0;
  return call.result("logits", output(decoder(embedding(ids, {.first = first}), {}, caches).output));
}

Variable TransformerLanguageModel::operator()(const Packed& text) const {
  Call call(*this);
  Variable x = embedding(text.ids, {.places = segment_places(text.segments)});
  Tensor allowed = same_segment(text.segments, text.segments);
  return call.result("logits", output(decoder(x, {.self = {.allowed = allowed}}).output));
}

}  // namespace heed::nn
