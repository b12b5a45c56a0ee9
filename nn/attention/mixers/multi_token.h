// Multi-token attention (Golovneva et al., 2025, arXiv 2504.00927): a weight depends on the scores of neighbouring
// queries and keys too, by a convolution over the matrix of scores. So one head can find the place where several words
// occur together.
//
//   A_ts = sum_(a < c_q) sum_b kernel_h[a, b] e_(t - a, s - b + c_k / 2),   b < c_k       e = 0 where it is masked
//   w    = softmax(A, where allowed)
//
// Only earlier queries enter, and a masked score counts as 0, so a causal model stays causal. The kernel begins as the
// identity: 1 at a = 0, b = c_k / 2. (The paper also convolves over groups of heads after the softmax and normalises
// the heads' outputs. Neither is part of this mixer.) Cost: c_q c_k T^2 more products for each head, and all scores are
// stored. B batch, T words, H heads, c_q and c_k the sizes of the kernel.
#pragma once

#include "nn/attention/mixers/own_heads.h"

namespace heed::nn {

struct MultiTokenMixer final : OwnHeadsMixer {
  MultiTokenMixer(const MixerOptions& options, Generator& rng);
  Variable convolved(const Variable& scores) const;  // [B, H, T, T], 0 where masked
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.parameter("kernel", kernel);
  }
  Variable kernel;  // [H, c_q, c_k]

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
