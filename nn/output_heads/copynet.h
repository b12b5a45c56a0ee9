// CopyNet (Gu, Lu, Li and Li, ACL 2016, eq. 5 to 8): to write a word of the vocabulary and to copy a word of the source
// compete in one softmax. There is no gate: the two kinds of scores share one sum Z.
//
//   g(w) = W f + b                       a score for each word of the vocabulary                       [.., V]
//   c(s) = f . tanh(U h_s + a)           a score for each position of the source                       [.., S]
//   P(w) = (exp g(w) + sum_{s : x_s = w} exp c(s)) / Z,    Z = sum_w exp g(w) + sum_s exp c(s)         [.., V']
//
// f are the features of the step, h_s the encoder outputs, x the source words. The outputs are the vocabulary, then the
// words of this sentence that the vocabulary lacks, as in pointer_generator.h. The result is log P + log Z: the scores
// of one word are joined in log space, and a word that the source has twice gets both.
//
// A position is copied where the source has a word. If the lengths are not known, as in packed rows, it is where the
// attention of the step is not 0: the mask of attention keeps sentences apart. The paper also feeds the decoder the
// state of the word that was copied last (its selective read, eq. 9); this head is the distribution alone. Names:
// weight, bias and copy.weight, copy.bias. F width of the features, C of the encoder outputs, V vocabulary.
#pragma once

#include "nn/about.h"
#include "nn/output_heads/copying_head.h"
#include "nn/padding.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace heed::nn {

inline constexpr About kAboutCopynet{
    .names = {"D7", "copynet", "Gu's copy mechanism"},
    .formula = "p(w) = (exp g(w) + sum_{s: x_s = w} exp c(s)) / Z,  g = W f + b,  c(s) = f . tanh(U h_s + a)",
    .paper = {"Gu et al., ACL 2016", 2016, 2},
    .idea =
        "Writing a word and copying one compete in the same softmax. The copy score compares the decoder with the "
        "state of each source word. A word that can be written and copied gets the sum of both.",
    .wrong =
        "The scores of words and of positions share one softmax. Two softmaxes that are added need a gate, and that is "
        "the pointer-generator.",
    .shapes = "features [B, T, F], states [B, S, C], source [B, S] -> log p [B, T, V + unknown words]",
    .cost = "B T S F products; F (C + 1) parameters more than softmax",
    .own = {"one_sum_for_words_and_copies", "copynet_by_hand", "copynet_copies_unknown_words"},
};

struct CopyNet final : CopyingHead {
  CopyNet(const OutputHeadOptions& o, Generator& rng)
      : CopyingHead(o, rng), copy({.in = o.states == 0 ? o.features : o.states, .out = o.features}, rng) {}

  Variable operator()(const Variable& features, const Variable& alignment, const OutputSource& source) const override {
    Call call(*this);
    if (!source.states.defined()) throw ValueError("CopyNet: needs the states of the source; got none");
    bool one = features.rank() == 2;  // a step of a search, [B, F]
    Variable keys = tanh(copy(source.states)), f = one ? unsqueeze(features, 1) : features;
    Variable scores = matmul(f, transpose(keys, 1, 2));  // c [B, T, S]
    if (one) scores = squeeze(scores, 1);
    scores = call.result("copy_scores", masked_fill(scores, closed(alignment, source, one), kNever));
    Variable generated = words(features), top = Variable(amax(scores.value(), {-1}, true));  // so that exp stays finite
    Variable pointed = log(copied(exp(scores - top), source.ids, outputs(source)) + kUnreached) + top;  // [.., V']
    return call.result("output", joined(generated, pointed));
  }
  void visit(Visitor& v) override {
    CopyingHead::visit(v);
    v.child("copy", copy);
  }

  Linear copy;

 private:
  static constexpr double kNever = -1e4;  // finite, since a sentence without words has nothing to subtract
  // bool, broadcastable to the scores: the positions that cannot be copied.
  static Tensor closed(const Variable& alignment, const OutputSource& source, bool one) {
    if (!source.lengths.defined()) return equal(alignment.value(), 0);
    Tensor padding = logical_not(length_mask(source.lengths, source.states.size(1)));  // [B, S]
    return one ? padding : padding.unsqueeze(1);
  }
};

}  // namespace heed::nn
