// Co-attention ("Dynamic coattention networks for question answering", section 2.2). L [T, S] are the scores, C^Q [S,
// D] what each word of the question has read, C^D [T, 2 D].
//
// A sentinel, a learned vector, is added to both sequences: its weights over real words then sum to less than 1.
// Simplified: the sentinel of the question is added after its tanh layer, and no recurrent layer follows. T words of
// the document, S words of the question, D width of both.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/joint_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

struct CoattentionOptions {
  int64_t width;         // D
  bool sentinel = true;  // the paper's
};

struct CoattentionOutput {
  Variable output;    // C^D [B, T, 2 D]
  Variable question;  // softmax_s [B, T, S]
  Variable document;  // softmax_t, transposed [B, S, T]
};

struct Coattention : Module {
  static constexpr About about{
      .names = {"E11b", "coattention", "dynamic coattention"},
      .formula = "L = d tanh(q W^T + b)^T;  C^Q = softmax_t(L)^T d;  C^D = softmax_s(L) [Q; C^Q]",
      .paper = {"Xiong, Zhong and Socher, ICLR 2017", 2017, 2},
      .idea =
          "First each word of the question reads the document. Then each word of the document reads the question, "
          "together with what the question has read. So a word of the document learns about other parts of the "
          "document that matter for the question.",
      .wrong =
          "Without the sentinels each word must attend to something on the other side, even if nothing there fits.",
      .shapes = "d [B, T, D], q [B, S, D] -> C^D [B, T, 2 D]",
      .cost = "4 T S D products; D^2 + 3 D parameters",
      .own = {"keys_may_be_permuted", "question_reads_the_document_first", "sentinel_takes_weight",
              "padding_of_both_sides_is_absent"},
      .exempt = {kMasksWholeSequences},
      .cases = "Coattention",
      .more = "a reader of two sequences, in C++: models that translate have one source",
  };

  using Options = CoattentionOptions;
  Coattention(const Options& o, Generator& rng) : options(o), map({.in = o.width, .out = o.width}, rng) {
    if (!o.sentinel) return;
    of_document = uniform_parameter({1, 1, o.width}, o.width, rng);
    of_question = uniform_parameter({1, 1, o.width}, o.width, rng);
  }
  // d [B, T, D], q [B, S, D]; the masks bool [B, T] and [B, S], false for padding, or undefined
  CoattentionOutput operator()(const Variable& d_, const Variable& q_, const Tensor& document_words = {},
                               const Tensor& question_words = {}) const {
    Call call(*this);
    int64_t T = d_.size(1), S = q_.size(1);
    Variable d = with_sentinel(without_padding(d_, document_words), of_document);
    Variable q = with_sentinel(tanh(map(without_padding(q_, question_words))), of_question);
    Variable e = matmul(d, transpose(q, 1, 2));
    Attended by_question = attend(transpose(e, 1, 2), d, row_of(document_words));
    Attended by_document = attend(e, concat({q, by_question.context}, -1), row_of(question_words));
    return {call.result("output", slice(by_document.context, 1, 0, T)),
            call.result("weights", slice(slice(by_document.weights, 1, 0, T), 2, 0, S)),
            slice(slice(by_question.weights, 1, 0, S), 2, 0, T)};
  }
  void visit(Visitor& v) {
    v.child("map", map);
    v.parameter("of_document", of_document), v.parameter("of_question", of_question);
  }
  Options options;
  Linear map;                         // W, b
  Variable of_document, of_question;  // the sentinels [1, 1, D]

 private:
  static Variable with_sentinel(const Variable& x, const Variable& s) {
    return s.defined() ? concat({x, expand(s, {x.size(0), 1, x.size(2)})}, 1) : x;
  }
  Tensor row_of(const Tensor& words) const {  // [B, 1, S], or [B, 1, S + 1] with the sentinel
    if (!words.defined() || !options.sentinel) return words.defined() ? words.unsqueeze(1) : Tensor();
    return concat({words, Tensor::ones({words.size(0), 1}, DType::boolean)}, 1).unsqueeze(1);
  }
};

}  // namespace heed::nn
