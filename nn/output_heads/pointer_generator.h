// The pointer-generator network (See, Liu and Manning, ACL 2017, eqs. 8 and 9): write a word from the vocabulary, or
// copy one from the source.
//
//   g    = sigmoid(w . features + b)                              the probability of generating      [.., 1]
//   P(w) = g P_vocabulary(w) + (1 - g) sum_{s : x_s = w} a_s                                         [.., V']
//
// a is the attention of this step, x the source words. The outputs are the extended vocabulary: the V words, then the
// source words that the vocabulary lacks, which can only be copied. The result is log P, added up in log space:
//
//   log P = logaddexp(log g + log P_vocabulary, log(1 - g) + log sum_{s : x_s = w} a_s)
//
// so a saturated gate loses no digits. V' = V plus the largest number of unknown words that a sentence of the batch
// has. Names: weight, bias and gate.weight, gate.bias. F width of the features, V vocabulary.
#pragma once

#include "nn/about.h"
#include "nn/output_heads/copying_head.h"

namespace heed::nn {

inline constexpr About kAboutPointerGenerator{
    .names = {"D8", "pointer_generator", "copy mechanism"},
    .formula = "p(w) = g p_vocabulary(w) + (1 - g) sum_{s: x_s = w} a_ts,  g = sigmoid(w . features)",
    .paper = {"See, Liu and Manning, ACL 2017", 2017, 2},
    .idea =
        "A gate g divides the probability between writing a word of the vocabulary and copying a word of the source. "
        "The probability of a word is g times that of writing it plus 1 - g times that of copying it. So names that "
        "the vocabulary lacks can be copied into the output.",
    .wrong =
        "A word that occurs twice in the source gets the sum of both weights. Source words that the vocabulary lacks "
        "need ids of their own, valid for this sentence only.",
    .shapes = "features [B, T, F], a [B, T, S], source [B, S] -> log p [B, T, V + unknown words]",
    .cost = "B T S sums; F + 1 parameters more than softmax",
    .own = {"gate_of_1_and_of_0", "mixture_sums_to_1", "golden_step", "copies_unknown_words",
            "steps_are_the_parallel_pass"},
};

struct PointerGenerator final : CopyingHead {
  PointerGenerator(const OutputHeadOptions& o, Generator& rng)
      : CopyingHead(o, rng), gate({.in = o.features, .out = 1}, rng) {}

  Variable operator()(const Variable& features, const Variable& alignment, const OutputSource& source) const override {
    Call call(*this);
    Variable copy = copied(alignment, source.ids, outputs(source));    // [.., V']
    Variable z = call.result("gate", gate(features));                  // [.., 1], g = sigmoid(z)
    Variable generated = log_softmax(words(features)) - softplus(-z);  // [.., V], log g + log P_vocabulary
    Variable pointed = log(copy + kUnreached) - softplus(z);           // [.., V'], log(1 - g) + log of the copied
    return call.result("output", joined(generated, pointed));
  }
  void visit(Visitor& v) override {
    CopyingHead::visit(v);
    v.child("gate", gate);
  }

  Linear gate;
};

}  // namespace heed::nn
