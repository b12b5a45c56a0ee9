// Self-attention over words that have been mixed with their neighbours first: order enters by a convolution in the
// place of positions.
//
//   shifted     z_t = [first half of x_(t-1); second half of x_t], z_0 = [0; ..]           "token shift": Peng et al.
//                                                                                       (RWKV), 2023, section 3.1.1
//   convolved   z_t = x_t + sum_n f_n * x_(t + n - C), n < N                               a filter for each entry:
//               C = (N - 1) / 2, or N - 1 if causal                                        Chu et al. (conditional
//                                                                                       positions), ICLR 2023
//   y = multi-head self-attention of z
//
// Both work at any length, and know who is next to whom without knowing any place. With the filter 0, `convolved` is
// self-attention; f that is 1 at one place is a shift. Past the ends, and at padding, there is 0. N is odd. B batch, T
// words, D width of the model, N width of the filters.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"

namespace heed::nn {

// sum_n f_n * x_(t + n - before): x [B, T, D], f [N, D] -> [B, T, D]; 0 beyond the ends. Cost: N T D products.
Variable filtered_words(const Variable& x, const Variable& filters, int64_t before);

struct ShiftedAttention final : Mixer {
  ShiftedAttention(const MixerOptions& options, Generator& rng);
  Mixed operator()(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("filters", filters);
    v.child("attention", attention);
  }
  MixerOptions options;
  Variable filters;  // [N, D], of `convolved`
  MultiHeadAttention attention;
};

}  // namespace heed::nn
