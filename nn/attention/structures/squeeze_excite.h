// Squeeze-and-excite (section 3 of the paper): a gate for each channel of a picture inside a convolutional network. T
// places, D channels, R reduced width.
#pragma once

#include "nn/attention/structures/sagan.h"
#include "nn/pool.h"

namespace heed::nn {

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
