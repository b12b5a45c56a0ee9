// What the mixers share that pass all words through a few learned latent vectors, so that the cost is linear in the
// number of words: luna, induced, perceiver. Att is multi-head attention with projections of its own at each place. A
// latent reads all words: none of the three can be causal. M latents.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"

namespace heed::nn {

MultiHeadOptions heads_of_model(const MixerOptions& options);
// [M, D] from N(0, 1): as different from each other as words are after a norm.
Variable latent_vectors(int64_t M, const MixerOptions& options, Generator& rng);
Variable for_each_sentence(const Variable& latents, int64_t B);  // [M, D] -> [B, M, D]

}  // namespace heed::nn
