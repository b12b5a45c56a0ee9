#include "nn/transformer/token_embedding.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/made_if.h"
#include "nn/text/vocabulary.h"

namespace heed::nn {
namespace {

constexpr double kUnscaled = 0.02;  // as in BERT and GPT-2, which do not multiply by sqrt(D)

double spread(const TokenEmbeddingOptions& o) {
  return o.scale ? 1 / std::sqrt(static_cast<double>(std::max<int64_t>(o.width, 1))) : kUnscaled;
}

}  // namespace

TokenEmbeddingOptions embedding_of(const TransformerOptions& o, int64_t vocabulary) {
  return {.vocabulary = vocabulary,
          .width = o.model,
          .positions = o.positions,
          .max_positions = o.max_positions,
          .scale = o.scale_embedding,
          .dropout = o.dropout};
}

TokenEmbedding::TokenEmbedding(const Options& o, Generator& rng)
    : options(o),
      words({.vocabulary = o.vocabulary, .width = o.width, .padding = text::Vocabulary::pad, .std = spread(o)}, rng),
      positions(
          make_embedding_position({.name = o.positions, .width = o.width, .max_positions = o.max_positions}, rng)),
      kinds(made_if<Embedding>(o.kinds > 0, {.vocabulary = o.kinds, .width = o.width, .std = kUnscaled}, rng)),
      dropout({.p = o.dropout}, rng) {}

Variable TokenEmbedding::operator()(const Tensor& ids, const TokenPlaces& where) const {
  Call call(*this);
  if (ids.rank() != 2 || ids.dtype() != DType::i64 || ids.count() == 0)
    throw ShapeError(fmt::format("TokenEmbedding: needs ids [B, T] i64, at least one word; got {} {}",
                                 name_of(ids.dtype()), to_string(ids.shape())));
  for (const Tensor* beside : {&where.places, &where.kinds})
    if (beside->defined() && !(beside->shape() == ids.shape()))
      throw ShapeError(fmt::format("TokenEmbedding: needs one position and one kind a word; got {} for words {}",
                                   to_string(beside->shape()), to_string(ids.shape())));
  if (where.kinds.defined() && !kinds)
    throw ValueError("TokenEmbedding: this model knows no kinds of words; got some; set token_types");
  Variable x = words(ids);  // [B, T, D]
  if (options.scale) x = x * std::sqrt(static_cast<double>(options.width));
  if (positions) x = where.places.defined() ? (*positions)(x, where.places) : (*positions)(x, where.first);
  if (kinds) x = x + (*kinds)(where.kinds.defined() ? where.kinds : Tensor::zeros(ids.shape(), DType::i64));
  return call.result("embedded", dropout(x));
}

}  // namespace heed::nn
