// What the recurrent papers share: one path for training and search.
//
//   encode   source -> the encoder outputs, and the decoder's state before the first word         once per sentence
//   decode   the next n words [B, n] and the state before them -> features [B, n, ..] and the state after them
//   logits   features -> unnormalised log p of the word after each of them [B, n, V]
//
//   training   decode(all words of the true translation), which is called teacher forcing       Paper::operator()
//   search     decode(one word), choose the next, decode it, ..                                  Paper::search
//
// A paper defines `step` for one word, and `decode` below takes the steps one after another. If all steps can be
// computed by one operation, an overload of `at_once` does so (nn/models/fast/); the paper's file does not mention it,
// and a test compares both. B batch, n target words, l earlier words, S source words, A width of an encoder output, E
// embedding, N hidden, V vocabulary, R rows of a search.
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
  States cell;         // s_t of every layer, [B, N] each, and what else its cell passes on
  Variable fed = {};   // r_t or g~_t, which the next step reads (luong.h, deep_fusion.h); else undefined
  Variable past = {};  // [B, l, N], the outputs that a memory keeps; undefined before the first
  AlignmentState alignment = {};
  HardRead read = {};             // what a reader has read in the last step; empty without one
  void keep(const Tensor& rows);  // rows [B'] i64: the new row i is the old row rows[i] (beam search)
};
struct Source : Memory {  // the encoder outputs, with the keys that attention computed from them
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

// All words y [B, n, E] by one operation, which gives the same bits as the steps; nullopt: take the steps.
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
  std::vector<Variable> features, alignments, log_probabilities, entropies;
  for (const Variable& word : unstack(y, 1)) {
    Step s = model.step(word, state, source);
    state = s.state;
    features.push_back(s.features);
    if (weights && state.alignment.weights.defined()) alignments.push_back(state.alignment.weights);
    if (!state.read.entropy.defined()) continue;
    log_probabilities.push_back(state.read.log_probability), entropies.push_back(state.read.entropy);
  }
  Decoded all{stack(features, 1), alignments.empty() ? Variable() : stack(alignments, 1)};
  if (!entropies.empty())  // a reader drew the positions
    all.read.log_probability = concat(log_probabilities, 1), all.read.entropy = concat(entropies, 1);
  return all;
}
template <class M>  // a model with a decode of its own: Copying
requires requires { &M::decode; }
Decoded decode(const M& model, const Tensor& words, const auto& source, auto& state, bool weights) {
  return model.decode(words, source, state, weights);
}

// The logits of a model that copies also depend on the alignment and the source.
template <class M>
Variable logits_of(const M& model, const Decoded& d, const auto& source) {
  if constexpr (requires { model.logits(d, source); })
    return model.logits(d, source);
  else
    return model.logits(d.features);
}

// Adds the loss of a reader that draws positions to the penalties of training (nn/penalties.h). target_in [B, T] i64.
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

// Gives a paper M with encode, step (or decode) and logits the functions of EncoderDecoder.
template <class M, class Base = EncoderDecoder>
struct Paper : Base {
  using Base::Base;
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Variable* alignment = nullptr) const override {
    Module::Call call(*this);
    auto [memory, state] = self().encode(source, lengths);
    Decoded d = decode(self(), target_in, memory, state, alignment != nullptr);
    if (alignment) *alignment = d.weights;
    Variable logits = logits_of(self(), d, memory);
    if (d.read.entropy.defined()) add_reader_loss(*self().reader(), logits, target_in, d.read);
    return logits;
  }
  std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const override {
    return std::make_unique<PaperSearch<M>>(self(), source, lengths);
  }
  Variable encoder_outputs(const Tensor& source, const Tensor& lengths) const override {
    return self().encode(source, lengths).source.values;
  }
  const Reader* reader() const { return nullptr; }  // a paper that may have a reader redefines it

 private:
  const M& self() const { return static_cast<const M&>(*this); }
};

}  // namespace heed::nn
