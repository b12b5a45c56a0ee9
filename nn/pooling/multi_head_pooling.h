// Pooling by multi-head attention, PMA (Lee et al., "Set Transformer", ICML 2019, section 3.2): R learned seeds are the
// queries, and the words are the keys and values.
//
// clang-format off
//   Z = rows(x)                                 [B, S, D]   rows(x) = W_2 relu(W_1 x + b_1) + b_2
//   H = norm(seeds + multi_head(seeds, Z, Z))   [B, R, D]           for each row
//   output = norm(H + rows'(H))                 [B, R, D]
// clang-format on
//
// A permutation of the words does not change the result: a set has no order. R seeds give R vectors; with R = 1 the
// result is one vector per sentence.
#pragma once

#include "nn/attention/structures/multi_head.h"
#include "nn/norm.h"

namespace heed::nn {

struct MultiHeadPoolingOptions {
  int64_t model, heads;
  int64_t seeds = 1;        // R
  int64_t feedforward = 0;  // width of the hidden layer of rows and rows'; 0: the model's width
};

struct MultiHeadPooling : Module {
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
