// The structured self-attentive embedding (eqs. 5 to 8 of the paper): a sentence as a matrix of R rows. W_1 [A, D], W_2
// [R, A], no biases. The diagonal of A A^T pushes each row towards a single word, the other entries push different rows
// towards different words: the penalty is 0 if and only if the rows are distinct one-hot vectors. With R = 1 the keys
// of the pooling are tanh(W_1 h).
#pragma once

#include "nn/attention/attention_pooling.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

struct StructuredOptions {
  int64_t input;         // D
  int64_t hidden = 350;  // A; as in the paper
  int64_t rows = 30;     // R; as in the paper
  double penalty = 0;    // weight of the mean penalty in the training loss (nn/penalties.h); 1 in the paper
};

struct StructuredEmbedding : Module {
  static constexpr About about{
      .names = {"E8", "structured", "structured self-attentive embedding"},
      .formula = "A = softmax(W_2 tanh(W_1 H^T)), M = A H;  penalty |A A^T - 1|_F^2",
      .paper = {"Lin et al., ICLR 2017", 2017, 1},
      .idea =
          "A sentence becomes a matrix instead of one vector: each of its R rows is a mixture of the words with "
          "weights of its own. A penalty makes the rows attend to different words. With one row it is attention "
          "pooling.",
      .wrong = "Without the penalty nothing keeps the rows from attending to the same words.",
      .shapes = "h [B, S, D] -> M [B, R, D], A [B, R, S]",
      .cost = "S A (D + R) + R S D products; A (D + R) parameters",
      .own = {"one_row_is_attention_pooling", "penalty_is_0_for_distinct_one_hots", "words_that_are_not_there"},
      .exempt = {{"empty_row_reads_zero",
                  "it takes a key padding mask, the same for all rows: words_that_are_not_there"}},
      .cases = "StructuredEmbedding",
      .more = "the vector of --context every_step, and the decoder's first state",
  };

  using Options = StructuredOptions;
  StructuredEmbedding(const Options& options, Generator& rng);
  Attended operator()(const Variable& h, const Tensor& words = {}) const;  // [B, S, D] -> M [B, R, D], A [B, R, S]
  void visit(Visitor& v) {
    v.child("hidden", hidden);
    v.child("attention", attention);
  }
  Options options;
  Linear hidden;               // W_1
  AttentionPooling attention;  // its query is W_2
};

// |A A^T - 1|_F^2 of each sentence: [B, R, S] -> [B]
Variable redundancy(const Variable& weights);

}  // namespace heed::nn
