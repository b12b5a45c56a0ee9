#include "nn/attention/memories/latent.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

LatentMemory::LatentMemory(const Variable& up_keys, const Variable& up_values, int64_t heads)
    : up_keys_(up_keys), up_values_(up_values), heads_(heads) {
  bool matrices = up_keys.rank() == 2 && up_values.rank() == 2 && up_keys.size(0) == up_values.size(0);
  if (!matrices || heads < 1 || up_keys.size(1) % heads != 0 || up_values.size(1) % heads != 0)
    throw ShapeError(fmt::format("LatentMemory: needs matrices [r, G K] and [r, G V] for G heads; got {} and {} for {}",
                                 to_string(up_keys.shape()), to_string(up_values.shape()), heads));
}

void LatentMemory::append(const HeadMemory& words) {
  const Variable& c = words.keys;
  if (c.rank() != 4 || c.size(1) != 1 || c.size(3) != up_keys_.size(0) || words.values.defined())
    throw ShapeError(fmt::format("LatentMemory: needs rows [B, 1, n, {}] and no values; got {}{}", up_keys_.size(0),
                                 to_string(c.shape()), words.values.defined() ? " with values" : ""));
  narrow_.append({c, Variable(Tensor::empty({c.size(0), 1, c.size(2), 0}, c.dtype()))});
}

// c [B, 1, S, r] -> [B, G, S, width of a head]
Variable LatentMemory::widened(const Variable& c, const Variable& up) const {
  Variable all = matmul(squeeze(c, 1), up);
  return transpose(reshape(all, {all.size(0), all.size(1), heads_, all.size(2) / heads_}), 1, 2);
}

HeadMemory LatentMemory::view() const {
  if (words() == 0) return {};
  Variable c = narrow_.view().keys;
  return {widened(c, up_keys_), widened(c, up_values_)};
}

}  // namespace heed::nn
