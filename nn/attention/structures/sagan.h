// Self-attention over the places of a picture inside a convolutional network ("Self-attention generative adversarial
// networks", section 3). T places: rows of the picture one after the other; D channels, R reduced width.
#pragma once

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"

namespace heed::nn {

struct ImageAttentionOptions {
  int64_t width;          // D
  int64_t reduction = 8;  // R = D / reduction, at least 1; 8 in SAGAN, 16 in squeeze-and-excite
};

struct ImageAttended {
  Variable output;         // y [B, T, D]
  Variable read, weights;  // o [B, T, D], [B, T, T]
};

struct SaganAttention : Module {
  static constexpr About about{
      .names = {"E26e", "sagan", "SAGAN"},
      .formula = "y = x + gamma o,  o_t = W_v sum_s softmax_s(f(x_t) . g(x_s)) h(x_s);  gamma begins at 0",
      .paper = {"Zhang et al., ICML 2019", 2019, 4},
      .idea =
          "Each position of a picture attends to all others, which a convolution reaches only after many layers. The "
          "result is added to the input with a learned factor that begins at 0. So the network first learns from near "
          "positions and then from far ones.",
      .wrong =
          "The factor begins at 0, and its gradient is not 0 there. If the weights of the layer began at 0 as well, it "
          "would never learn.",
      .shapes = "x [B, T, D] -> y [B, T, D], weights [B, T, T]",
      .cost = "4 T D R + 2 T^2 R products; 4 D R + 1 parameters",
      .own = {"gate_of_zero_is_the_identity", "places_have_no_order", "sagan_by_its_lines"},
      .exempt = {kMasksPairs},
      .cases = "SaganAttention",
      .more = "a layer for pictures, in C++",
  };

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

}  // namespace heed::nn
