// The structured self-attentive embedding (Lin et al., ICLR 2017, eqs. 5 to 8): a sentence as a matrix of R rows, each
// of which looks at it in its own way.
//
//   A = softmax(W_2 tanh(W_1 H^T)) over the words       [R, S]        W_1 [A, D], W_2 [R, A], no biases
//   M = A H                                             [R, D]
//   penalty = |A A^T - 1|_F^2                           added to the loss: rows that look at the same cost
//
// The diagonal of A A^T asks each row to look at one word, the rest asks the rows to look at different ones: the
// penalty is 0 if and only if the rows are distinct one-hots. With R = 1 it is attention pooling over keys tanh(W_1 h).
// B batch, S words, D width of the annotations, R rows.
#pragma once

#include "nn/layers.h"
#include "nn/pooling/attention_pooling.h"

namespace heed::nn {

struct StructuredOptions {
  int64_t input;         // D
  int64_t hidden = 350;  // A; the paper's
  int64_t rows = 30;     // R; the paper's
  double penalty = 0;    // weight of the mean penalty among those of training (nn/penalties.h); the paper's is 1
};

struct StructuredEmbedding : Module {
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
