#include "nn/transformer/language_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/modes.h"
#include "nn/decode/search_steps.h"
#include "nn/text/vocabulary.h"
#include "nn/transformer/transformer_output.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// Rows that are padded on the left. Padding is never a key, and the embedding counts a row's places from its first
// word. Attention may count them from the beginning of the row: relative positions, rotations and scopes read only
// distances, which are the same with padding and without (require_distances refuses the other stages).
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

// Which of these places have words and not padding: the key padding mask [B, count].
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
  if (!padding.defined())  // otherwise the rows are padded on the left
    return call.result("logits", output(decoder(embedding(ids, {.first = first}), {}, caches).output));
  require_padding(padding, ids);
  decoder.require_distances("left-padded rows");
  int64_t T = ids.size(1);
  Variable x = embedding(ids, {.places = places_after(padding, first, T)});
  Tensor words = words_after(padding, 0, first + T);  // of all words so far, those in the caches too
  return call.result("logits", output(decoder(x, {.self = {.words = words}}, caches).output));
}

LanguageModelSearch::LanguageModelSearch(const LanguageModel& model, const std::vector<std::vector<int64_t>>& prompts)
    : model_(model), rows_(static_cast<int64_t>(prompts.size())) {
  NoGrad guard;
  size_t longest = 0;
  bool equal = true;
  for (const auto& prompt : prompts) {
    longest = std::max(longest, prompt.size());
    equal = equal && prompt.size() == prompts[0].size();
  }
  if (longest == 0) return;
  std::vector<int64_t> before, last, padding;
  for (const auto& prompt : prompts) {
    size_t words = std::max<size_t>(prompt.size(), 1);  // an empty prompt beside others is <s>
    padding.push_back(static_cast<int64_t>(longest - words));
    before.insert(before.end(), longest - words, text::Vocabulary::pad);
    if (!prompt.empty()) before.insert(before.end(), prompt.begin(), prompt.end() - 1);
    last.push_back(prompt.empty() ? text::Vocabulary::start : prompt.back());
  }
  first_ = Tensor::from(last, {rows_});
  if (!equal) padding_ = Tensor::from(padding, {rows_});
  if (longest > 1) model_(Tensor::from(before, {rows_, static_cast<int64_t>(longest) - 1}), &caches_, padding_);
}

Tensor LanguageModelSearch::next(const Tensor& tokens) {
  NoGrad guard;
  PackedWeights::Step step_of(packed_);
  Tensor ids = first_.defined() ? first_ : tokens;
  first_ = {};
  return log_softmax_rows(model_(ids.unsqueeze(1), &caches_, padding_).value().select(1, 0));
}

void LanguageModelSearch::keep(const Tensor& rows) {
  NoGrad guard;
  rows_ = rows.size(0);
  for (LayerCache& cache : caches_) cache.keep(rows);
  search_steps::pick(first_, rows), search_steps::pick(padding_, rows);
}

}  // namespace heed::nn
