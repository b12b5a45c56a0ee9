// A language model that attends to its own previous outputs, each split into one, two or three parts (Daniluk,
// Rocktaeschel, Welbl and Riedel, ICLR 2017; separate keys and values: Miller et al., EMNLP 2016).
//
//   h_t = [k_t]            attention             one vector is key, value and prediction: k = v = p = h
//   h_t = [k_t; v_t]       key-value             p = v
//   h_t = [k_t; v_t; p_t]  key-value-predict
//
//   w_ti = softmax_i(score(k_t, k_i))     over the L outputs before t, without t itself: t - L <= i < t
//   r_t = sum_i w_ti v_i                  0 at the first word, which has nothing before it
//   output_t = tanh(W_r r_t + W_p p_t)
//
// Without the split, one vector has to do three tasks at once. With it, the part by which a word is found (the key) can
// differ from the content that is read (the value) and from the part that predicts the next word. The values do not
// influence the weights. The paper's score is `additive`. B batch, T time, N width of h, P = N / parts.
#pragma once

#include "nn/attention/attention.h"
#include "nn/layers.h"

namespace heed::nn {

struct KeyValueOptions {
  int64_t width;            // N
  int64_t parts = 3;        // 1, 2 or 3; must divide N
  int64_t window = 5;       // L
  ScoreOptions score = {};  // default: additive; its widths are set to P
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
