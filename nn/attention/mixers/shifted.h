// Self-attention over words that have been mixed with their neighbours first. RWKV mixes x_(t-1) and x_t by learned
// shares of each entry; here the shares are 1 and 0.
//
//   convolved   z_t = x_t + sum_n f_n * x_(t + n - C), n < N        C = (N - 1) / 2, or N - 1 if causal
//
// Both work at any length. With the filter 0, `convolved` is self-attention; f that is 1 at one place is a shift. Past
// the ends, and at padding, there is 0. N is odd.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"

namespace heed::nn {

// sum_n f_n * x_(t + n - before): x [B, T, D], f [N, D] -> [B, T, D]; 0 beyond the ends. Cost: N T D products.
Variable filtered_words(const Variable& x, const Variable& filters, int64_t before);

struct ShiftedAttention final : Mixer {
  struct Settings {
    int64_t width = 3;
    void fields(OptionFields& f) { f("width", width, "N, words that a filter of `convolved` covers; odd", {1, 255}); }
  };
  static constexpr About about{
      .names = {"F13", "shifted", "token shift", "convolved: a filter for each entry, conditional positions"},
      .formula =
          "z_t = [first half of x_(t-1); second half of x_t],  y = multi-head attention of z;  convolved: z = x + "
          "filters * x",
      .paper = {"after Peng et al. (RWKV), EMNLP Findings 2023; Chu et al. (conditional positions), ICLR 2023", 2023,
                3},
      .idea =
          "Before attention looks at the words, half of the features of each word are replaced by those of the word "
          "before. So a word knows its neighbour, and the model learns the order of words without any positions. With "
          "a small learned filter in place of the shift, it can choose which neighbours count.",
      .wrong =
          "A shift in the other direction shows each word the one after it. The loss of a language model then falls to "
          "almost 0 and the model is useless.",
      .cost = "as multi-head attention, and N T D products; N D more parameters if convolved",
      .own = {"a_shift_by_one_is_causal", "zero_filters_are_attention", "filters_by_hand"},
      .variants = {"convolved"},
  };

  ShiftedAttention(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("filters", filters);
    v.child("attention", attention);
  }
  MixerOptions options;
  Variable filters;  // [N, D], of `convolved`
  MultiHeadAttention attention;
};

}  // namespace heed::nn
