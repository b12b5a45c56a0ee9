// A transformer that reads a long text in segments, as Transformer-XL does in training and in decoding (Dai et al., ACL
// 2019, section 3.2): every layer keeps the inputs of its last M words (nn/attention/memories/segment.h).
//
//   std::vector<LayerCache> past = segment_caches(model.decoder, 64);
//   for (const Tensor& ids : segments) {                                // [B, n] each, one after the other
//     Variable logits = model(ids, &past);                              // sees 64 words before the segment
//     backward(cross_entropy(logits, ..));                              // and gradient stays in the segment
//     optimizer.step();
//   }
//
// With M at least the length of the whole text this computes what full causal attention does. Use positions that know
// distances: sinusoids of the segment alone would give words of two segments the same place (the paper's section 3.3).
// Here places go on from segment to segment, so absolute positions are right too, but they grow without a limit.
#pragma once

#include "nn/transformer/transformer_layer.h"

namespace heed::nn {

// One cache for each layer of the stack, which must not move while they are used. Dropping them begins a new text.
std::vector<LayerCache> segment_caches(const TransformerStack& stack, int64_t length);

}  // namespace heed::nn
