// What mixers with heads share: the split of the features into heads, and which word may attend to which. B batch, T
// words, S keys, D width of the model, H heads, K = D / H width of a head.
#pragma once

#include "nn/attention/mixers/mixer.h"

namespace heed::nn {

int64_t head_width(const MixerOptions& options);               // K. ValueError unless the number of heads divides D
Variable split_heads(const Variable& x, int64_t heads);        // [B, T, H K] -> [B, H, T, K]
Variable join_heads(const Variable& x);                        // [B, H, T, K] -> [B, T, H K]
Variable scaled_scores(const Variable& q, const Variable& k);  // q k^T / sqrt(K): [.., T, K], [.., S, K] -> [.., T, S]
// The key padding mask, and under `causal` no later word: bool, broadcasts to [B, H, T, T]; undefined: everything.
Tensor allowed_words(const MixerOptions& options, const Tensor& words, int64_t T);

}  // namespace heed::nn
