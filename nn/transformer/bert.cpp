#include "nn/transformer/bert.h"

#include "nn/padding.h"
#include "nn/transformer/transformer_output.h"

namespace heed::nn {
namespace {

TokenEmbeddingOptions with_kinds(const TransformerOptions& o) {
  TokenEmbeddingOptions e = embedding_of(o, o.source_vocabulary);
  e.kinds = o.token_types;
  return e;
}

}  // namespace

Bert::Bert(const Options& o, Generator& rng)
    : options((require_no_copies("Bert", o), completed(o))),
      embedding(with_kinds(options), rng),
      encoder(stack_of(options, TransformerPart::encoder), rng) {}

Variable Bert::operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds) const {
  Call call(*this);
  Variable x = embedding(ids, {.kinds = kinds});
  return call.result("annotations", encoder(x, {.self = {.words = length_mask(lengths, ids.size(1))}}).output);
}

}  // namespace heed::nn
