// What the recurrent papers share: one path for training and search.
//
//   encode   source -> what the decoder may look at, and its state before the first word          once per sentence
//   decode   words [B, n] that continue the state -> what is known of the word after each of them; the state moves on
//   logits   -> unnormalised log p of the next word [B, n, V]
//
//   training   decode(all words of the true translation), which is called teacher forcing       Paper::operator()
//   search     decode(one word), choose the next, decode it, ..                                  Paper::search
//
// A paper writes `step`, one word, and gets decode from here: its steps one after another. If all steps can be computed
// by one operation, an overload of `at_once` does so (nn/models/fast/); the paper does not know it, and a test compares
// both. B batch, n words, S source words, E embedding, N hidden, V vocabulary.
#pragma once

#include <optional>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/attention/readers/reader.h"
#include "nn/decode/encoder_decoder.h"
#include "nn/models/any_recurrent.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {

// What one step of the decoder passes to the next. In every field the first axis is the batch.
struct DecoderState {
  States cell;         // s_t: [B, N] each, and tapes
  Variable fed = {};   // what a step hands to the input of the next one; undefined if nothing
  Variable past = {};  // [B, l, N], the outputs that a memory keeps; undefined before the first
  AlignmentState alignment = {};
  HardRead read = {};             // what a reader has read in the last step; empty without one
  void keep(const Tensor& rows);  // rows [B'] i64: row i becomes what row rows[i] was (beam search)
};
struct Source : Memory {  // the encoder outputs, with the keys that attention made of them
  void keep(const Tensor& rows);
};
struct Encoded {
  Source source;
  DecoderState state;
};
struct Step {
  DecoderState state;
  Variable features;      // [B, ..], what `logits` reads
  Variable context = {};  // c_t [B, A]; undefined if a step does not read the source
};
struct Decoded {
  Variable features;      // [B, n, ..]
  Variable weights = {};  // [B, n, S], the attention of each word; undefined without attention
  HardRead read = {};     // the log probabilities and entropies [B, n] of a reader's choices
};

// All words y [B, n, E] by one operation, with the bits of the steps; nothing if the model has none for its options.
// `weights`: whether the weights are wanted, with their gradient where one is recorded.
template <class M>
std::optional<Decoded> at_once(const M&, const Variable& /*y*/, const Source&, DecoderState&, bool /*weights*/) {
  return std::nullopt;
}

template <class M>
requires requires { &M::step; }
Decoded decode(const M& model, const Tensor& words, const Source& source, DecoderState& state, bool weights) {
  Variable y = model.embed(words);  // [B, n, E]
  if (words.size(1) > 1)
    if (std::optional<Decoded> all = at_once(model, y, source, state, weights)) return *all;
  std::vector<Variable> features, rows, chances, entropies;
  for (const Variable& word : unstack(y, 1)) {
    Step s = model.step(word, state, source);
    state = s.state;
    features.push_back(s.features);
    if (weights && state.alignment.weights.defined()) rows.push_back(state.alignment.weights);
    if (!state.read.entropy.defined()) continue;
    chances.push_back(state.read.log_probability), entropies.push_back(state.read.entropy);
  }
  Decoded all{stack(features, 1), rows.empty() ? Variable() : stack(rows, 1)};
  if (!entropies.empty()) all.read.log_probability = concat(chances, 1), all.read.entropy = concat(entropies, 1);
  return all;
}
template <class M>
requires requires { &M::decode; }
Decoded decode(const M& model, const Tensor& words, const auto& source, auto& state, bool weights) {
  return model.decode(words, source, state, weights);
}

// A model that copies also reads the alignment and the source.
template <class M>
Variable logits_of(const M& model, const Decoded& d, const auto& source) {
  if constexpr (requires { model.logits(d, source); })
    return model.logits(d, source);
  else
    return model.logits(d.features);
}

// The term of the loss for a reader that draws, among the penalties of training (nn/penalties.h); nothing in
// evaluation. target_in [B, T] i64.
void add_reader_loss(const Reader& reader, const Variable& logits, const Tensor& target_in, const HardRead& read);

template <class M>
class PaperSearch final : public SearchModel {
 public:
  PaperSearch(const M& model, const Tensor& source, const Tensor& lengths)
      : model_(model),
        encoded_([&] {
          NoGrad guard;
          return model.encode(source, lengths);
        }()),
        sentence_(Tensor::arange(source.size(0))) {}
  int64_t rows() const override { return sentence_.size(0); }
  Tensor next(const Tensor& tokens) override {  // [R] -> [R, V]
    NoGrad guard;
    PackedWeights::Step step_of(packed_);
    Decoded d = decode(model_, tokens.unsqueeze(1), encoded_.source, encoded_.state, true);
    weights_ = d.weights.defined() ? d.weights.value().select(1, 0) : Tensor();
    return log_softmax_rows(logits_of(model_, d, encoded_.source).value().select(1, 0));
  }
  void keep(const Tensor& rows) override {
    NoGrad guard;
    encoded_.state.keep(rows);
    if (weights_.defined()) weights_ = index_select(weights_, rows);
    Tensor before = sentence_;
    sentence_ = index_select(before, rows);
    // A beam usually reorders the rows of a sentence, which share its source: then it stays as it is.
    if (sentence_.to_vector() != before.to_vector()) encoded_.source.keep(rows);
  }
  Tensor weights() const override { return weights_; }

 private:
  PackedWeights packed_;
  const M& model_;
  decltype(std::declval<const M&>().encode(Tensor(), Tensor())) encoded_;
  Tensor sentence_, weights_;  // [R] i64, the sentence of each row; [R, S]
};

// Gives a paper M, with its encode, step (or decode) and logits, the two functions of EncoderDecoder.
template <class M, class Base = EncoderDecoder>
struct Paper : Base {
  using Base::Base;
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Variable* alignment = nullptr) const override {
    Module::Call call(*this);
    auto [h, state] = self().encode(source, lengths);
    Decoded d = decode(self(), target_in, h, state, alignment != nullptr);
    if (alignment) *alignment = d.weights;
    Variable logits = logits_of(self(), d, h);
    if (d.read.entropy.defined()) add_reader_loss(*self().reader(), logits, target_in, d.read);
    return logits;
  }
  std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const override {
    return std::make_unique<PaperSearch<M>>(self(), source, lengths);
  }
  Variable encoder_outputs(const Tensor& source, const Tensor& lengths) const override {
    return self().encode(source, lengths).source.values;
  }
  const Reader* reader() const { return nullptr; }  // hidden by papers that may have one

 private:
  const M& self() const { return static_cast<const M&>(*this); }
};

}  // namespace heed::nn
