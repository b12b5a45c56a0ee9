// Decomposable attention (attend: eq. 1, 2; compare: eq. 3; aggregate: eq. 4, 5): does sentence a imply sentence b? F
// is applied to words and not to pairs: T + S times, and not T S times, which is what "decomposable" means. F, G and H
// have one hidden layer of width N with ReLU. T and S words of a and of b, K classes.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/joint_properties.cpp use it.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

struct DecomposableOptions {
  int64_t width, hidden, classes;  // D, N, K
};

struct DecomposableOutput {
  Variable logits;  // [B, K]
  Variable of_a;    // the weights of the words of b for each of a [B, T, S]
  Variable of_b;    // those of a for each of b [B, S, T]
};

struct DecomposableAttention : Module {
  static constexpr About about{
      .names = {"E11d", "decomposable", "decomposable attention"},
      .formula =
          "e = F(a) F(b)^T;  v_t = G([a_t; softmax_s(e) b]),  v'_s = G([b_s; softmax_t(e)^T a]);  H([sum v; sum v'])",
      .paper = {"Parikh et al., EMNLP 2016", 2016, 2},
      .idea =
          "Each word of one sentence is compared with the mixture of words of the other that it matches. The "
          "comparisons are added up, and a small network decides whether one sentence follows from the other. No part "
          "of it reads the order of the words, and yet it was as good as the recurrent networks of its time.",
      .wrong =
          "The small network runs on words before the product, and not on pairs of words after it. On pairs it would "
          "cost T times S runs.",
      .shapes = "a [B, T, D], b [B, S, D] -> logits [B, K], weights [B, T, S]",
      .cost = "3 T S D products, and T + S words through F and G; no term has both T S and a matrix",
      .own = {"keys_may_be_permuted", "queries_may_be_permuted", "order_of_words_has_no_effect",
              "comparisons_are_added_up", "padding_of_both_sides_is_absent"},
      .exempt = {kMasksWholeSequences},
      .cases = "DecomposableAttention",
      .more = "a reader of two sequences, in C++: models that translate have one source",
  };

  using Options = DecomposableOptions;
  DecomposableAttention(const Options& o, Generator& rng)
      : options(o),
        attend_in({.in = o.width, .out = o.hidden}, rng),
        attend_out({.in = o.hidden, .out = o.hidden}, rng),
        compare_in({.in = 2 * o.width, .out = o.hidden}, rng),
        compare_out({.in = o.hidden, .out = o.hidden}, rng),
        answer_in({.in = 2 * o.hidden, .out = o.hidden}, rng),
        answer_out({.in = o.hidden, .out = o.classes}, rng) {}
  // a [B, T, D], b [B, S, D]; the masks bool [B, T] and [B, S], false for padding, or undefined
  DecomposableOutput operator()(const Variable& a_, const Variable& b_, const Tensor& a_words = {},
                                const Tensor& b_words = {}) const {
    Call call(*this);
    Variable a = without_padding(a_, a_words), b = without_padding(b_, b_words);
    Variable e = matmul(both(attend_in, attend_out, a), transpose(both(attend_in, attend_out, b), 1, 2));
    Attended from_b = attend(e, b, row_of(b_words)), from_a = attend(transpose(e, 1, 2), a, row_of(a_words));
    Variable sums = concat({compared(a, from_b.context, a_words), compared(b, from_a.context, b_words)}, -1);
    return {call.result("output", answer_out(relu(answer_in(sums)))), call.result("weights", from_b.weights),
            from_a.weights};
  }
  void visit(Visitor& v) {
    v.child("attend_in", attend_in), v.child("attend_out", attend_out);
    v.child("compare_in", compare_in), v.child("compare_out", compare_out);
    v.child("answer_in", answer_in), v.child("answer_out", answer_out);
  }
  Options options;
  Linear attend_in, attend_out, compare_in, compare_out, answer_in, answer_out;  // F, G, H

 private:
  static Variable both(const Linear& in, const Linear& out, const Variable& x) { return relu(out(relu(in(x)))); }
  static Tensor row_of(const Tensor& words) { return words.defined() ? words.unsqueeze(1) : Tensor(); }
  Variable compared(const Variable& x, const Variable& aligned, const Tensor& words) const {  // -> [B, N]
    Variable v = both(compare_in, compare_out, concat({x, aligned}, -1));
    return sum(words.defined() ? masked_fill(v, logical_not(words).unsqueeze(-1), 0) : v, {1});
  }
};

}  // namespace heed::nn
