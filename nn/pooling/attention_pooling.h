// Pooling by attention: R learned questions are asked of every sentence, whatever it says.
//
// clang-format off
//   w_rs = normalise_s(score(u_r, k_s))      context_r = sum_s w_rs x_s
// clang-format on
//
// u [R, Q] is learned; the keys k are x itself, or another reading of the same words.
//
// A sentence of S vectors becomes R vectors. With the score `dot` and u = 0 it is the mean. Attention with a single
// query that is learned, not computed: Yang et al., NAACL 2016, section 2.2; several of them: Lin et al., ICLR 2017. A
// sentence without words gives 0. B batch, S words, D width of x, Q width of a question.
#pragma once

#include "nn/attention/attention.h"

namespace heed::nn {

struct AttentionPoolingOptions {
  ScoreOptions score = {.name = "dot"};  // .query is Q, .key the width of the keys
  NormaliserOptions normaliser = {};
  int64_t rows = 1;     // R
  bool learned = true;  // false: every call brings its query
};

struct AttentionPooling : Module {
  using Options = AttentionPoolingOptions;
  AttentionPooling(const Options& options, Generator& rng);
  // values [B, S, D], keys [B, S, K], words bool [B, S] or undefined -> context [B, R, D], weights [B, R, S]
  Attended operator()(const Variable& keys, const Variable& values, const Tensor& words = {}) const;
  // The question of the caller instead, [B, R, Q].
  Attended ask(const Variable& query, const Variable& keys, const Variable& values, const Tensor& words = {}) const;
  void visit(Visitor& v) {
    v.parameter("query", query);
    v.child("attention", attention);
  }
  Options options;
  Attention attention;
  Variable query;  // [R, Q]; undefined where it is not learned
};

}  // namespace heed::nn
