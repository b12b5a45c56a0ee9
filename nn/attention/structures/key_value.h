// Attention of a language model to its own past, in one, two or three parts (Daniluk, Rocktaeschel, Welbl and Riedel,
// ICLR 2017; keys and values apart: Miller et al., EMNLP 2016).
//
//   h_t = [k_t]            attention             one vector is asked, is read and predicts: k = v = p = h
//   h_t = [k_t; v_t]       key-value             p = v
//   h_t = [k_t; v_t; p_t]  key-value-predict
//
//   w_ti = softmax_i(score(k_t, k_i))     over the L outputs before t, never t itself: t - L <= i < t
//   r_t = sum_i w_ti v_i                  0 at the first word, which has no past
//   output_t = tanh(W_r r_t + W_p p_t)
//
// One vector for three tasks has to serve all; cut in parts, what finds a word need not be what it says. The values
// have no say in the weights. The paper's score is `additive`. B batch, T time, N width of h, P = N / parts.
#pragma once

#include "nn/attention/attention.h"
#include "nn/layers.h"

namespace heed::nn {

struct KeyValueOptions {
  int64_t width;            // N
  int64_t parts = 3;        // 1, 2 or 3, a divisor of N
  int64_t window = 5;       // L
  ScoreOptions score = {};  // additive; its widths are P, whatever stands here
  NormaliserOptions normaliser = {};
};

struct KeyValueParts {
  Variable key, value, predict;  // [B, T, P]
};
KeyValueParts key_value_parts(const Variable& h, int64_t parts);  // views of h [B, T, N]

struct KeyValueOutput {
  Variable output, context;  // [B, T, P]
  Variable weights;          // [B, T, T]
};

struct KeyValueAttention : Module {
  using Options = KeyValueOptions;
  KeyValueAttention(const Options& options, Generator& rng);
  KeyValueOutput operator()(const Variable& h) const;  // [B, T, N]
  void visit(Visitor& v) {
    v.child("attention", attention);
    v.child("read", read);
    v.child("predict", predict);
  }
  Options options;
  Attention attention;
  Linear read, predict;  // W_r, W_p [P, P], without biases
};

}  // namespace heed::nn
