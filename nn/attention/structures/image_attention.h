// Two forms of attention inside convolutional networks, over the places or over the channels of a picture
// ("Self-attention generative adversarial networks", section 3; squeeze-and-excite, section 3). T places: rows of a
// picture one after the other. D channels, R reduced width.
#pragma once

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/pool.h"

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
  static constexpr About about{
      .names = {"E26e", "sagan", "SAGAN", "non-local block"},
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

struct SqueezeExcite : Module {
  static constexpr About about{
      .names = {"E26f", "squeeze_excite", "SE block", "channel attention"},
      .formula = "y_tc = x_tc s_c,  s = sigmoid(W_2 relu(W_1 mean_t x))",
      .paper = {"Hu, Shen and Sun, CVPR 2018", 2018, 4},
      .idea =
          "Each channel of a picture gets a gate between 0 and 1. The gates are made from the mean of every channel by "
          "a small network. Channels that do not matter for this picture get a small gate at all positions.",
      .wrong =
          "It has no keys and its weights do not sum to 1. It is called attention because it gives weights to "
          "channels.",
      .shapes = "x [B, T, D] -> [B, T, D]; as a pooling [B, S, D] -> [B, D]",
      .cost = "T D sums and products; 2 D R + D + R parameters",
      .own = {"channels_are_gated", "gates_do_not_read_padding"},
      .exempt = {{"empty_row_reads_zero", "it weighs channels and has no keys"},
                 {"masked_keys_are_absent", "it weighs channels and has no keys: gates_do_not_read_padding"},
                 {"rows_sum_to_one", "its weights are gates of channels, one by one"},
                 {"weights_depend_on_keys", "it weighs channels and has no keys"}},
      .cases = "SqueezeExcite",
      .more = "the vector of --context every_step, and the decoder's first state",
  };

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
