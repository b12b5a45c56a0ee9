// Bidirectional attention flow (section 2 of the paper, layer 4): a text and a question attend to each other, by the
// trilinear score (scores/trilinear.h). u~ is text to question, h~ question to text: which words of the text matter.
// The layers above also receive h. T words of the text, S words of the question, D width of both.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/joint_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scores/trilinear.h"
#include "nn/attention/stage.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

struct BiDAFOptions {
  int64_t width;  // D
};

struct BiDAFOutput {
  Variable output;    // g [B, T, 4 D]
  Variable question;  // a [B, T, S]
  Variable text;      // b [B, T]
};

struct BiDAF : Module {
  static constexpr About about{
      .names = {"E11", "bidaf", "bidirectional attention flow"},
      .formula =
          "e_ts = w . [h_t; u_s; h_t * u_s];  a = softmax_s(e), u~ = a u;  b = softmax_t(max_s e), h~ = b h;  g = [h; "
          "u~; h * u~; h * h~]",
      .paper = {"Seo et al., ICLR 2017", 2017, 2},
      .idea =
          "A text and a question attend to each other through one matrix of scores. Each word of the text receives the "
          "part of the question that it matches, and the words that match some part of the question best are mixed "
          "into one vector. Nothing is reduced to one vector for the whole text, so later layers can still point to a "
          "position in it.",
      .wrong =
          "One softmax runs over the words of the question, the other over the words of the text. The second is taken "
          "over the largest score of each word of the text, and gives one vector that all words of the text share.",
      .shapes = "h [B, T, D], u [B, S, D] -> g [B, T, 4 D], a [B, T, S], b [B, T]",
      .cost = "2 T S D products; 3 D parameters",
      .own = {"keys_may_be_permuted", "queries_may_be_permuted", "flow_in_both_directions_by_hand",
              "padding_of_both_sides_is_absent"},
      .exempt = {kMasksWholeSequences},
      .cases = "BiDAF",
      .more = "a reader of two sequences, in C++: models that translate have one source",
  };

  using Options = BiDAFOptions;
  BiDAF(const Options& o, Generator& rng) : options(o), score({.query = o.width, .key = o.width}, rng) {}
  // h [B, T, D], u [B, S, D]; the masks bool [B, T] and [B, S], false for padding, or undefined
  BiDAFOutput operator()(const Variable& h_, const Variable& u_, const Tensor& text_words = {},
                         const Tensor& question_words = {}) const {
    Call call(*this);
    Variable h = without_padding(h_, text_words), u = without_padding(u_, question_words);
    Variable e = score(h, score.prepare(u));
    if (question_words.defined()) e = masked_fill(e, logical_not(question_words).unsqueeze(1), -INFINITY);
    Attended asked = attend(e, u);
    Attended important =
        attend(unsqueeze(max(e, 2), 1), h, text_words.defined() ? text_words.unsqueeze(1) : Tensor());  // [B, 1, D]
    Variable g = concat({h, asked.context, h * asked.context, h * important.context}, -1);
    return {call.result("output", g), call.result("weights", asked.weights), squeeze(important.weights, 1)};
  }
  void visit(Visitor& v) { v.child("score", score); }
  Options options;
  TrilinearScore score;
};

}  // namespace heed::nn
