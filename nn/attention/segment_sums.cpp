#include "nn/attention/segment_sums.h"

#include "autograd/ops.h"
#include "nn/attention/places.h"

namespace heed::nn {

Variable segment_sums(const Variable& x, int64_t axis) {
  const int64_t at = axis < 0 ? axis + x.rank() : axis, T = x.size(at);
  // [T, T, 1, ..]: true where word t is not after word s
  Tensor outside = mask_of_distances("segment_sums", {.queries = T, .keys = T}, [](int64_t d) { return d >= 0; });
  Shape all;
  for (int i = 0; i < x.rank(); ++i) {
    all.push_back(x.size(i));
    if (i == at) all.push_back(T);
    if (i > at) outside = outside.unsqueeze(-1);
  }
  return cumsum(masked_fill(expand(unsqueeze(x, at + 1), all), outside, 0), at);
}

}  // namespace heed::nn
