#include "nn/transformer/transformer_search.h"

#include <algorithm>

#include "autograd/modes.h"
#include "nn/decode/search_steps.h"
#include "nn/text/vocabulary.h"
#include "nn/transformer/transformer_output.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

void pick_words(std::vector<LayerCache>& caches, const Tensor& rows) {
  for (LayerCache& c : caches) c.keep(rows);
}
void pick_source(std::vector<LayerCache>& caches, const Tensor& rows) {
  for (LayerCache& c : caches) search_steps::pick(c.cross.keys, rows), search_steps::pick(c.cross.values, rows);
}

Tensor log_p(const Variable& logits) { return log_softmax_rows(logits.value().select(1, logits.size(1) - 1)); }

}  // namespace

TransformerSearch::TransformerSearch(const Transformer& model, const Tensor& source, const Tensor& lengths)
    : model_(model), source_of_row_(Tensor::arange(source.size(0))) {
  NoGrad guard;
  source_ = model_.encode(source, lengths);
}

std::unique_ptr<SearchModel> Transformer::search(const Tensor& source, const Tensor& lengths) const {
  return std::make_unique<TransformerSearch>(*this, source, lengths);
}

Tensor TransformerSearch::next(const Tensor& tokens) {
  NoGrad guard;
  PackedWeights::Step step_of(packed_);
  Transformer::Decoded decoded = model_.decode(tokens.unsqueeze(1), source_, {.caches = &caches_, .weights = true});
  weights_ = alignment_of(decoded.weights).value().select(1, 0);
  return log_p(model_.logits(decoded, source_.read));
}

void TransformerSearch::keep(const Tensor& rows) {
  NoGrad guard;
  pick_words(caches_, rows);
  search_steps::pick(weights_, rows);
  Tensor before = source_of_row_;
  source_of_row_ = index_select(before, rows);
  if (source_of_row_.to_vector() == before.to_vector()) return;  // hypotheses of a sentence changed places
  pick_source(caches_, rows);
  search_steps::pick(source_.annotations, rows);
  search_steps::pick(source_.words, rows);
  search_steps::pick(source_.read.ids, rows);
  search_steps::pick(source_.read.lengths, rows);
  search_steps::pick(source_.read.states, rows);
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
  return log_p(model_(ids.unsqueeze(1), &caches_, padding_));
}

void LanguageModelSearch::keep(const Tensor& rows) {
  NoGrad guard;
  rows_ = rows.size(0);
  pick_words(caches_, rows);
  search_steps::pick(first_, rows), search_steps::pick(padding_, rows);
}

}  // namespace heed::nn
