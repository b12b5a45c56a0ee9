// Two forms of attention inside convolutional networks, over the places or over the channels of a picture:
//
//   SAGAN               y = x + gamma o,   o_t = (sum_s softmax_s(f(x_t) . g(x_s)) h(x_s)) W_v       over the places
//   squeeze-and-excite  y_tc = x_tc s_c,   s = sigmoid(W_2 relu(W_1 mean_t x))                       over the channels
//
// SAGAN: Zhang, Goodfellow, Metaxas and Odena, "Self-attention generative adversarial networks", ICML 2019, section 3.
// gamma is learned and begins at 0, so a new layer first changes nothing. Squeeze-and-excite: Hu, Shen and Sun, CVPR
// 2018, section 3: a gate for each channel, from the mean of all places; it has no keys. B batch, T places (rows of a
// picture one after the other), D channels, R reduced width.
#pragma once

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/pooling/pool.h"

namespace heed::nn {

struct ImageAttentionOptions {
  int64_t width;          // D
  int64_t reduction = 8;  // R = D / reduction, at least 1; 8 in SAGAN, 16 in the other paper
};

struct ImageAttended {
  Variable output;         // y [B, T, D]
  Variable read, weights;  // o [B, T, D], [B, T, T]
};

struct SaganAttention : Module {
  using Options = ImageAttentionOptions;
  SaganAttention(const Options& o, Generator& rng)
      : options(o),
        query({.in = o.width, .out = reduced(o), .bias = false}, rng),
        key({.in = o.width, .out = reduced(o), .bias = false}, rng),
        value({.in = o.width, .out = reduced(o), .bias = false}, rng),
        back({.in = reduced(o), .out = o.width, .bias = false}, rng),
        gamma(zeros_parameter({1})) {}
  ImageAttended operator()(const Variable& x, const Tensor& allowed = {}) const {  // [B, T, D]
    Call call(*this);
    Attended seen = attend(matmul(query(x), transpose(key(x), 1, 2)), value(x), allowed);
    Variable o = back(seen.context);
    return {call.result("output", x + gamma * o), o, call.result("weights", seen.weights)};
  }
  void visit(Visitor& v) {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("back", back);
    v.parameter("gamma", gamma);
  }
  static int64_t reduced(const Options& o) { return std::max<int64_t>(1, o.width / o.reduction); }  // R
  Options options;
  Linear query, key, value, back;  // f, g, h, W_v
  Variable gamma;                  // [1]
};

struct SqueezeExcite : Module {
  using Options = ImageAttentionOptions;
  SqueezeExcite(const Options& o, Generator& rng)
      : options(o),
        squeeze_in({.in = o.width, .out = SaganAttention::reduced(o)}, rng),
        excite({.in = SaganAttention::reduced(o), .out = o.width}, rng) {}
  // The gates s [B, D] of x [B, T, D]; words bool [B, T], false for padding.
  Variable gates(const Variable& x, const Tensor& words = {}) const {
    return sigmoid(excite(relu(squeeze_in(pool("mean", x, words)))));
  }
  Variable operator()(const Variable& x, const Tensor& words = {}) const {  // [B, T, D]
    Call call(*this);
    return call.result("output", x * unsqueeze(gates(x, words), 1));
  }
  void visit(Visitor& v) { v.child("squeeze", squeeze_in), v.child("excite", excite); }
  Options options;
  Linear squeeze_in, excite;  // W_1, W_2
};

}  // namespace heed::nn
