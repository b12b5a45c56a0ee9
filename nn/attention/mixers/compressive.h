// Compressive attention, after the compressive transformer (Rae et al., ICLR 2020, section 3): recent words are kept
// one by one, older ones as one mean for every c of them.
//
//   group j    words j c .. j c + c - 1, as the mean of their inputs, projected to a key and a value like a word
//   word t     reads the words of all groups that do not end before t - W + 1, and the means of those that do
//
//   c_t = softmax over [recent words; means of older groups] of q_t . k / sqrt(K), times their values
//
// So a word that is older than the window costs 1/c of a key, and no word is forgotten altogether. c = 1, or W >= T, is
// ordinary attention. The paper moves whole segments from one memory to the next, without gradients through them, and
// compares ways to compress, of which the mean is the simplest; here the window slides and gradients pass. In an
// encoder far words on both sides are compressed. B batch, T words, D width, H heads, W window, c rate.
#pragma once

#include "nn/attention/mixers/own_heads.h"

namespace heed::nn {

struct CompressiveMixer final : OwnHeadsMixer {
  CompressiveMixer(const MixerOptions& options, Generator& rng);
  int64_t window, rate;  // W, c

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
