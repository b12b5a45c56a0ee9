#include "nn/sentence/masked_word_model.h"

#include "autograd/ops.h"
#include "nn/transformer/transformer_output.h"

namespace heed::nn {
namespace {

TransformerOptions one_vocabulary(TransformerOptions o) {
  o.target_vocabulary = o.source_vocabulary;
  return o;
}

}  // namespace

MaskedWordHead::MaskedWordHead(const Options& o, const Embedding& words, Generator& rng)
    : dense({.in = o.model, .out = o.model}, rng),
      norm({.shape = {o.model}}, rng),
      output(output_layer(one_vocabulary(o), words, /*tied=*/true, rng)) {}

Variable MaskedWordHead::operator()(const Variable& x) const {
  Call call(*this);
  return call.result("logits", output(norm(gelu(dense(x)))));
}

MaskedWordModel::MaskedWordModel(const Options& o, Generator& rng)
    : options(one_vocabulary(o)), reader(options, rng), head(options, reader.embedding.words, rng) {}

Variable MaskedWordModel::operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds,
                                     const Tensor& places) const {
  Call call(*this);
  Variable annotations = reader(ids, lengths, kinds);  // [B, S, D]
  return call.result("logits", head(index_select(reshape(annotations, {-1, options.model}), places)));
}

int64_t masked_word_parameters(const TransformerOptions& o_) {
  TransformerOptions o = one_vocabulary(o_);
  int64_t V = o.source_vocabulary, D = o.model;
  return V * D + embedding_position_parameters({.name = o.positions, .width = D, .max_positions = o.max_positions}) +
         o.token_types * D + encoder_parameters(o) + D * D + D + 2 * D + (o.output_bias ? V : 0);
}

}  // namespace heed::nn
