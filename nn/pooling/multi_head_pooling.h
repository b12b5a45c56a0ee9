// Pooling by multi-head attention, PMA (section 3.2 of the paper): R learned seeds are the queries, and Z = rows(x) are
// the keys and values; rows(x) = W_2 relu(W_1 x + b_1) + b_2 for each row.
#pragma once

#include "nn/attention/stage.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/norm.h"

namespace heed::nn {

struct MultiHeadPoolingOptions {
  int64_t model, heads;
  int64_t seeds = 1;        // R
  int64_t feedforward = 0;  // width of the hidden layer of rows and rows'; 0: the model's width
};

struct MultiHeadPooling : Module {
  static constexpr About about{
      .names = {"I9", "multi_head_pooling", "PMA"},
      .formula = "norm(H + rows(H)),  H = norm(seeds + multi_head(seeds, x, x))",
      .paper = {"Lee et al. (Set Transformer), ICML 2019", 2019, 1},
      .idea =
          "Learned queries, the seeds, attend to the words with several heads, and a feed-forward network follows. The "
          "order of the words has no influence. With one seed the result is one vector.",
      .wrong =
          "The seeds are parameters and do not depend on the sentence. Two feed-forward networks and two layer norms "
          "belong to the block.",
      .shapes = "x [B, S, D] -> [B, R, D]",
      .cost = "multi-head attention with R queries, plus 2 (S + R) D F products",
      .own = {"a_set_has_no_order"},
      .exempt = {{"no_words_read_zero", "without words the output depends on its seeds alone"},
                 {"one_word_is_itself", "the words are projected and normalised"}},
      .cases = "MultiHeadPooling",
  };

  using Options = MultiHeadPoolingOptions;
  MultiHeadPooling(const Options& options, Generator& rng);
  Attended operator()(const Variable& x, const Tensor& words = {}) const;  // -> [B, R, D], weights [B, H, R, S]
  void visit(Visitor& v) {
    v.parameter("seeds", seeds);
    v.child("before_in", before_in);
    v.child("before_out", before_out);
    v.child("attention", attention);
    v.child("first_norm", first_norm);
    v.child("after_in", after_in);
    v.child("after_out", after_out);
    v.child("second_norm", second_norm);
  }
  Options options;
  Variable seeds;                // [R, D]
  Linear before_in, before_out;  // rows
  MultiHeadAttention attention;
  LayerNorm first_norm;
  Linear after_in, after_out;  // rows'
  LayerNorm second_norm;
};

}  // namespace heed::nn
