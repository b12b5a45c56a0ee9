// "Thinking Machines": self-attention of two words with two heads, with numbers that can be followed by hand.
//
//   Q_h = X W^Q_h    K_h = X W^K_h    V_h = X W^V_h        X [2, 4], each W [4, 2] -> [2, 2]
//   S_h = Q_h K_h^T / sqrt(2)    A_h = softmax(S_h) by rows    Z_h = A_h V_h
//   output = [Z_1, Z_2] W^O                                [2, 4] [4, 4] -> [2, 4]
#pragma once

#include <array>
#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace heads {

using heed::Tensor;

struct HeadByHand {
  Tensor w_q, w_k, w_v;                // [4, 2]
  Tensor q, k, v, scores, weights, z;  // [2, 2]
};

inline Tensor matrix(const std::vector<double>& numbers, int64_t rows, int64_t columns) {
  return Tensor::from(numbers, {rows, columns});
}

inline HeadByHand head_by_hand(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
  HeadByHand h{.w_q = w_q, .w_k = w_k, .w_v = w_v, .q = {}, .k = {}, .v = {}, .scores = {}, .weights = {}, .z = {}};
  h.q = matmul(x, w_q), h.k = matmul(x, w_k), h.v = matmul(x, w_v);
  h.scores = div(matmul(h.q, h.k.transpose(0, 1)), std::sqrt(2.0));
  h.weights = exp(log_softmax_rows(h.scores));
  h.z = matmul(h.weights, h.v);
  return h;
}

struct Thinking {
  Tensor x;  // [2, 4]: "Thinking", "Machines"
  std::array<HeadByHand, 2> heads;
  Tensor z, w_o, output;  // [2, 4] both heads, [4, 4], [2, 4]
};

inline Thinking thinking_machines() {
  Tensor x = matrix({1, 0, 1, 0, 0, 1, 1, 1}, 2, 4);
  Thinking t{.x = x,
             .heads = {head_by_hand(x, matrix({1, 0, 0, 1, 1, 0, 0, 1}, 4, 2), matrix({0, 1, 1, 0, 1, 0, 0, 1}, 4, 2),
                                    matrix({1, 0, 0, 2, 0, 1, 1, 1}, 4, 2)),
                       head_by_hand(x, matrix({0, 1, 1, 0, 0, 0, 1, 1}, 4, 2), matrix({1, 0, 0, 0, 1, 1, 0, -1}, 4, 2),
                                    matrix({2, 0, 0, 1, 0, 0, 1, 0}, 4, 2))},
             .z = {},
             .w_o = matrix({1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, -1, 1, 0, 0, 1}, 4, 4),
             .output = {}};
  t.z = heed::concat(std::vector<Tensor>{t.heads[0].z, t.heads[1].z}, 1);
  t.output = matmul(t.z, t.w_o);
  return t;
}

// Z of a head whose scores are not divided by sqrt(2).
inline Tensor without_the_root(const HeadByHand& h) {
  return matmul(exp(log_softmax_rows(matmul(h.q, h.k.transpose(0, 1)))), h.v);
}

// The same by nn::MultiHeadAttention, which stores W^T, with the queries of all heads first: [2, 4].
inline Tensor by_the_layer(const Thinking& t) {
  heed::NoGrad guard;
  heed::Generator rng(1);
  heed::nn::MultiHeadAttention layer({.model = 4, .heads = 2, .bias = false}, rng);
  heed::nn::convert(layer, heed::DType::f64);
  std::vector<Tensor> rows;
  for (Tensor HeadByHand::*w : {&HeadByHand::w_q, &HeadByHand::w_k, &HeadByHand::w_v})
    for (const HeadByHand& h : t.heads) rows.push_back((h.*w).transpose(0, 1).contiguous());
  layer.in_proj_weight.set_value(heed::concat(rows, 0));
  layer.out_proj.weight.set_value(t.w_o.transpose(0, 1).contiguous());
  return layer(heed::Variable(t.x.unsqueeze(0))).output.value().select(0, 0);
}

}  // namespace heads
