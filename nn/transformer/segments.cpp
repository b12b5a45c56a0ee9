#include "nn/transformer/segments.h"

#include <fmt/format.h>

#include "nn/attention/memories/segment.h"

namespace heed::nn {

std::vector<LayerCache> segment_caches(const TransformerStack& stack, int64_t length) {
  std::vector<LayerCache> caches(stack.layers.size());
  for (size_t i = 0; i < caches.size(); ++i) {
    if (stack.layers[i].mixer)
      throw ValueError(fmt::format("segment_caches: segments are read by attention; got the mixer {} in layer {}",
                                   stack.layers[i].options.mixer.name, i));
    const MultiHeadAttention& attention = *stack.layers[i].self_attn;
    caches[i].self = std::make_unique<SegmentMemory>(length, [&attention](const Variable& inputs, int64_t first) {
      return attention.remember(inputs, inputs, {.first_key = first});
    });
  }
  return caches;
}

}  // namespace heed::nn
