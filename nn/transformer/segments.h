// A transformer that reads a long text in segments, as Transformer-XL does in training and in decoding (Dai et al., ACL
// 2019, section 3.2): every layer keeps the inputs of its last M words (nn/attention/memories/segment.h).
//
//   std::vector<LayerCache> past = segment_caches(model.decoder, 64);
//   for (const Tensor& ids : segments) {                                // [B, n] each, one after the other
//     Variable logits = model(ids, &past);                              // each layer reads 64 inputs before the
//     segment backward(cross_entropy(logits, ..));                              // the gradient stays in the segment
//     optimizer.step();
//   }
//
// If M is at least the length of the whole text, this computes what full causal attention computes. Use positions that
// depend on distances. Sinusoids counted from the start of each segment would give words of two segments the same
// position (the paper's section 3.3). Here positions continue from segment to segment, so absolute positions are
// correct too, but they grow without limit.
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

// One cache for each layer of the stack. The stack must not be moved while they are used. For a new text, make new
// ones.
std::vector<LayerCache> segment_caches(const TransformerStack& stack, int64_t length);

}  // namespace heed::nn
