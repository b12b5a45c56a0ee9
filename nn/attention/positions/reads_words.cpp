#include "nn/attention/positions/reads_words.h"

#include "autograd/ops.h"
#include "tensor/compare.h"

namespace heed::nn {

HeadMemory with_marks(const ReadsWords& scheme, const HeadMemory& memory, const Variable& x, const Tensor& words) {
  const int64_t B = x.size(0), n = x.size(1), G = memory.keys.size(1);
  Variable z = scheme.marks_of(x);  // [B, n, H m]
  if (words.defined()) z = masked_fill(z, logical_not(words).unsqueeze(-1), 0);
  z = transpose(reshape(z, {B, n, G, z.size(2) / G}), 1, 2);
  return {concat({memory.keys, z}, -1), memory.values, memory.padding_mask};
}

Unmarked without_marks(const ReadsWords& scheme, const HeadMemory& memory, int64_t heads, const Tensor& words) {
  const Variable& k = memory.keys;
  const int64_t B = k.size(0), G = k.size(1), S = k.size(2), end = k.size(3), m = scheme.marks(), R = heads / G;
  Variable z = slice(k, -1, end - R * m, end);  // [B, G, S, R m]
  z = reshape(transpose(reshape(z, {B, G, S, R, m}), 2, 3), {B, heads, S, m});
  if (words.defined()) z = masked_fill(z, logical_not(words).unsqueeze(1).unsqueeze(-1), 0);
  return {{slice(k, -1, 0, end - R * m), memory.values, memory.padding_mask}, z};
}

}  // namespace heed::nn
