// Attention-over-attention (section 3 of the paper): each word of a question points to the document, and a second
// attention gives each of these pointers a weight. p sums to 1, and nothing is learned here. The answer of a cloze test
// is the word whose places have the largest sum of p. T words of the document, S words of the question.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/joint_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

inline constexpr About kAboutAttentionOverAttention{
    .names = {"E11c", "attention_over_attention", "AoA"},
    .formula = "alpha = softmax_t(d q^T), beta = softmax_s(d q^T);  p = alpha mean_t(beta)",
    .paper = {"Cui et al., ACL 2017", 2017, 2},
    .idea =
        "Each word of the question points to positions of the document by a softmax of its own. The mean of the "
        "softmaxes in the other direction gives each word of the question a weight. The sum of the pointers with these "
        "weights is one distribution over the positions, and an answer gets the sum over all positions where it "
        "occurs.",
    .wrong =
        "The mean over the document must leave out its padding. Otherwise padding changes the weights of the "
        "question's words.",
    .shapes = "d [B, T, D], q [B, S, D] -> p [B, T]",
    .cost = "T S D products; no parameters",
    .own = {"keys_may_be_permuted", "pointers_by_hand", "padding_of_both_sides_is_absent"},
    .exempt = {kMasksWholeSequences},
    .cases = "attention_over_attention",
    .more = "a reader of two sequences, in C++: models that translate have one source",
};

struct DocumentPointer {
  Variable places;    // p [B, T]
  Variable question;  // the mean of beta [B, S]
};

// d [B, T, D], q [B, S, D]; the masks bool [B, T] and [B, S], false for padding, or undefined
inline DocumentPointer attention_over_attention(const Variable& d_, const Variable& q_,
                                                const Tensor& document_words = {}, const Tensor& question_words = {}) {
  Variable d = without_padding(d_, document_words), q = without_padding(q_, question_words);
  Variable e = matmul(d, transpose(q, 1, 2)), to_document = e, to_question = e;
  if (document_words.defined()) to_document = masked_fill(e, logical_not(document_words).unsqueeze(2), -INFINITY);
  if (question_words.defined()) to_question = masked_fill(e, logical_not(question_words).unsqueeze(1), -INFINITY);
  Variable beta = softmax(to_question, 2),
           each(Tensor::full({1, e.size(1)}, 1.0 / static_cast<double>(e.size(1)), e.dtype()));
  if (document_words.defined()) {
    Tensor count = maximum(sum(document_words.to(e.dtype()), {1}, true), Tensor::full({1}, 1, e.dtype()));
    each = Variable(div(document_words.to(e.dtype()), count));
  }
  Variable mean = matmul(unsqueeze(each, 1), beta);  // [1 or B, 1, T] [B, T, S] -> [B, 1, S]
  return {squeeze(matmul(mean, transpose(softmax(to_document, 1), 1, 2)), 1), squeeze(mean, 1)};
}

// The probability of each word id: p summed over the places where the document has it. ids [B, T] -> [B, V]
inline Variable probability_of_words(const Variable& places, const Tensor& ids, int64_t vocabulary) {
  return scatter_add(places, ids, vocabulary);
}

}  // namespace heed::nn
