// Pooling by attention: R learned queries, which are the same for every sentence.
//
//   w_rs = normalise_s(score(u_r, k_s))      context_r = sum_s w_rs x_s
//
// u [R, Q] is learned; the keys k are x itself, or another representation of the same words. With the default score
// `dot` and u = 0, each row is the mean of x. With one query: Yang et al., NAACL 2016, section 2.2; with several: Lin
// et al., ICLR 2017. The result for a sentence without words is 0. S words, D width of x, Q width of a query.
#pragma once

#include "nn/attention/attention.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct AttentionPoolingOptions {
  ScoreOptions score = {};  // .query is Q, .key the width of the keys; without a name: Role::learned_query
  NormaliserOptions normaliser = {};
  int64_t rows = 1;     // R
  bool learned = true;  // false: the caller gives the query in every call
};

struct AttentionPooling : Module {
  static constexpr About about{
      .names = {"I7", "attention", "learned query"},
      .formula = "w = softmax(u . x_i), sum_i w_i x_i;  u learned",
      .paper = {"Yang et al., NAACL 2016", 2016, 1},
      .idea =
          "A learned query attends to all words, and the mixture that it receives is the vector of the sentence. So "
          "the model learns which words count. The weights can be shown above the words.",
      .wrong = "The query is a parameter and does not depend on the sentence. A query of zeros gives the plain mean.",
      .shapes = "x [B, S, D] -> [B, D]",
      .cost = "2 S D products; D parameters",
      .own = {"zero_query_is_the_mean"},
      .cases = "AttentionPooling",
  };

  using Options = AttentionPoolingOptions;
  AttentionPooling(const Options& options, Generator& rng);
  // values [B, S, D], keys [B, S, K], words bool [B, S] or undefined -> context [B, R, D], weights [B, R, S]
  Attended operator()(const Variable& keys, const Variable& values, const Tensor& words = {}) const;
  // Uses the caller's query [B, R, Q] instead of the learned one.
  Attended ask(const Variable& query, const Variable& keys, const Variable& values, const Tensor& words = {}) const;
  void visit(Visitor& v) {
    v.parameter("query", query);
    v.child("attention", attention);
  }
  Options options;
  Attention attention;
  Variable query;  // [R, Q]; undefined if it is not learned
};

}  // namespace heed::nn
