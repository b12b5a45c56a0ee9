// Selective RoPE ("Selective rotary position embedding"): rotary positions whose angles are sums over the words.
//
//   w_t = conv_4(l2(x_t) W_1 W_2)              no activation; l2: length 1 in each head; K / 2 numbers for each head
//   angle_t = theta_i sum_(s <= t) w_s         theta_i = base^(-2i/K)
//   y = multi-head attention with q_t and k_t turned by angle_t, pair i being the features i and i + K / 2
//
// The score of two words depends on the sum over the words between them. w = 1 is RoPE with this base. `gate=1`
// multiplies w by sigmoid(l2(x) W_g + c), one number a head. The paper also turns the keys of linear attention; this
// is its softmax form. Sums are kept modulo 2 pi from one block of 64 words to the next, so that f32 keeps
// its digits however long the text is. Decoding keeps turned keys. In an encoder, which the paper does not have, the
// same angles are used.
#pragma once

#include "nn/attention/mixers/own_cache.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/attention/stage.h"

namespace heed::nn {

// Sums of w [B, H, T, P] over the words, times base^(-i/P), after `before` [B, H, 1, P] (undefined: 0), modulo 2 pi.
Variable summed_angles(const Variable& w, double base, const Variable& before);
// x [B, H, T, K] with the pairs (i, i + K / 2) turned by angles [B, H, T, K / 2].
Variable turned_by(const Variable& x, const Variable& angles);

struct SelectiveRopeMixer final : OwnCacheMixer {
  struct Settings {
    int64_t rank = 16;
    int64_t taps = 4;
    double base = 500000;
    bool gate = false;
    void fields(OptionFields& f) {
      f("rank", rank, "numbers between W_1 and W_2", {1, 65536});
      f("taps", taps, "words that the short convolution reads", {1, 64});
      f("base", base, "the slowest pair turns base^(1 - 2/K) times slower than the first", {1.001, 1e12});
      f("gate", gate, "multiply the turns by a gate of each word");
    }
  };
  static constexpr About about{
      .names = {"L13", "selective_rope", "selective RoPE"},
      .formula = "q_t, k_t turned by theta_i sum_(s <= t) w_s,  w = conv_4(l2(x) W_1 W_2),  theta_i = 500000^(-2i/K)",
      .paper = {"Movahedi et al., ICLR 2026", 2026, 4},
      .idea =
          "Each word says by how much the following words are turned, and the angles add up. RoPE turns every word by "
          "the same angle from its neighbour. Words that say 0 leave no distance behind them, so distance is measured "
          "in what matters.",
      .wrong =
          "There is no activation after the convolution, so angles can also turn back. In f32 long sums lose their "
          "digits unless whole turns are removed.",
      .cost =
          "as multi-head attention, and T D r products; 3 D r / 2 + w D / 2 more parameters; decoding keeps 2 T D + w "
          "D / 2 numbers",
      .own = {"equal_turns_are_rope", "turns_of_the_words_between"},
  };

  SelectiveRopeMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.child("w_down", w_down), v.child("w_up", w_up), v.child("convolution", convolution);
    if (settings.gate) v.child("gate", gate);
  }
  Settings settings;
  Linear w_down, w_up;  // W_1 [r, D], W_2 [D / 2, r]
  ShortConvolution convolution;
  Linear gate;  // [H, D]

 protected:
  Attended read_after(const OwnHeads& heads, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
