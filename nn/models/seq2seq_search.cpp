#include "nn/models/seq2seq_search.h"

#include <numeric>
#include <utility>

#include "autograd/modes.h"
#include "nn/decode/search_steps.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {
Seq2SeqSearch::Seq2SeqSearch(const Seq2Seq& model, const Tensor& source, const Tensor& lengths)
    : model_(model), rows_(source.size(0)) {
  NoGrad guard;
  auto encoded = model_.encode(source, lengths);
  memory_ = encoded.memory;
  state_ = encoded.state;
  source_ = model_.seen_by_output(source, lengths, memory_);
  sentence_.resize(static_cast<size_t>(rows_));
  std::iota(sentence_.begin(), sentence_.end(), 0);
}

std::unique_ptr<SearchModel> Seq2Seq::search(const Tensor& source, const Tensor& lengths) const {
  return std::make_unique<Seq2SeqSearch>(*this, source, lengths);
}

Tensor Seq2SeqSearch::next(const Tensor& tokens) {
  NoGrad guard;
  PackedWeights::Step step_of(packed_);
  auto step = model_.step(model_.embed_target(tokens, source_), state_, memory_);
  state_ = step.state;
  return log_softmax_rows(model_.logits(step.features, state_.alignment.weights, source_).value());
}

void Seq2SeqSearch::keep(const Tensor& rows) {
  NoGrad guard;
  rows_ = rows.size(0);
  for (Variable& part : state_.cell) search_steps::pick(part, rows);
  search_steps::pick(state_.fed, rows);
  search_steps::pick(state_.past, rows);
  state_.alignment.keep(rows);
  // The hypotheses of one sentence share a memory, which is far larger than their states. Its rows are selected
  // again only if the sentences of the rows change; a beam usually just reorders the rows of a sentence.
  std::vector<int64_t> sentence;
  Tensor which = rows.contiguous();
  for (int64_t i = 0; i < rows_; ++i) sentence.push_back(sentence_.at(static_cast<size_t>(which.data<int64_t>()[i])));
  if (sentence == sentence_) return;
  sentence_ = std::move(sentence);
  search_steps::pick(memory_.keys, rows);
  search_steps::pick(memory_.values, rows);
  search_steps::pick(memory_.allowed, rows);
  search_steps::pick(memory_.lengths, rows);
  search_steps::pick(source_.ids, rows);
  search_steps::pick(source_.lengths, rows);
  search_steps::pick(source_.states, rows);
}

Tensor Seq2SeqSearch::weights() const {
  const Variable& w = state_.alignment.weights;
  return w.defined() ? w.value() : Tensor();
}

}  // namespace heed::nn
