#include "nn/decode/seq2seq_search.h"

#include "autograd/modes.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {

Seq2SeqSearch::Seq2SeqSearch(const Seq2Seq& model, const Tensor& source, const Tensor& lengths) : model_(model) {
  NoGrad guard;
  auto encoded = model_.encode(source, lengths);
  memory_ = encoded.memory;
  state_ = encoded.state;
}

Tensor Seq2SeqSearch::next(const Tensor& tokens) {
  NoGrad guard;
  auto step = model_.step(model_.embed_target(tokens), state_, memory_);
  state_ = step.state;
  weights_ = step.weights.value();
  return log_softmax_rows(model_.logits(step.readout_input).value());
}

void Seq2SeqSearch::keep(const Tensor& rows) {
  NoGrad guard;
  state_ = index_select(state_.value(), rows);
  memory_.values = index_select(memory_.values.value(), rows);
  memory_.keys = index_select(memory_.keys.value(), rows);
  memory_.allowed = index_select(memory_.allowed, rows);
}

}  // namespace heed::nn
