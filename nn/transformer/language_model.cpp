#include "nn/transformer/language_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/transformer/transformer_output.h"

namespace heed::nn {
namespace {

// Rows that are padded on the left. Padding is never a key, and the embedding counts a row's places from its first word
// on. Attention needs no places of its own (Places::query_at): relative positions, rotations and scopes read nothing
// but differences of places, and those are the same with padding and without.
void require_padding(const Tensor& padding, const Tensor& ids) {
  if (ids.rank() != 2 || padding.rank() != 1 || padding.dtype() != DType::i64 || padding.size(0) != ids.size(0))
    throw ShapeError(fmt::format("LanguageModel: needs the padding [B] i64 of ids [B, T]; got {} {} and {}",
                                 name_of(padding.dtype()), to_string(padding.shape()), to_string(ids.shape())));
}

// Places of the words first .. first + count - 1 of each row, [B, count] i64: 0 for the padding.
Tensor places_after(const Tensor& padding, int64_t first, int64_t count) {
  Tensor places = Tensor::empty({padding.size(0), count}, DType::i64), before = padding.contiguous();
  int64_t* to = places.data<int64_t>();
  for (int64_t b = 0; b < padding.size(0); ++b)
    for (int64_t t = first; t < first + count; ++t) *to++ = std::max<int64_t>(t - before.data<int64_t>()[b], 0);
  return places;
}

// Which of them are words: the key padding mask [B, count].
Tensor words_after(const Tensor& padding, int64_t first, int64_t count) {
  Tensor words = Tensor::empty({padding.size(0), count}, DType::boolean), before = padding.contiguous();
  bool* to = words.data<bool>();
  for (int64_t b = 0; b < padding.size(0); ++b)
    for (int64_t s = first; s < first + count; ++s) *to++ = s >= before.data<int64_t>()[b];
  return words;
}

}  // namespace

LanguageModel::LanguageModel(const Options& o, Generator& rng)
    : options((require_no_copies("LanguageModel", o), completed(o))),
      embedding(embedding_of(options, o.target_vocabulary), rng),
      decoder(stack_of(options, TransformerPart::language_model), rng),
      output(output_layer(options, embedding.words, o.tie != "none", rng)) {}

Variable LanguageModel::operator()(const Tensor& ids, std::vector<LayerCache>* caches, const Tensor& padding) const {
  Call call(*this);
  bool begun = caches && !caches->empty();
  int64_t first = begun ? caches->front().words() : 0;
  if (!padding.defined())
    return call.result("logits", output(decoder(embedding(ids, {.first = first}), {}, caches).output));
  require_padding(padding, ids);
  decoder.require_distances("left-padded rows");
  int64_t T = ids.size(1);
  Variable x = embedding(ids, {.places = places_after(padding, first, T)});
  Tensor words = words_after(padding, 0, first + T);  // the stack takes what each layer still has
  return call.result("logits", output(decoder(x, {.self = {.words = words}}, caches).output));
}

}  // namespace heed::nn
