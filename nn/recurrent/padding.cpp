#include "nn/recurrent/padding.h"

#include <fmt/format.h>

namespace heed::nn {

Tensor length_mask(const Tensor& lengths_, int64_t T) {
  if (lengths_.rank() != 1 || lengths_.dtype() != DType::i64)
    throw ShapeError(fmt::format("length_mask: lengths must be [B] i64; got {} {}", name_of(lengths_.dtype()),
                                 to_string(lengths_.shape())));
  Tensor lengths = lengths_.contiguous();
  int64_t B = lengths.size(0);
  Tensor mask = Tensor::empty({B, T}, DType::boolean);
  for (int64_t b = 0; b < B; ++b) {
    int64_t n = lengths.data<int64_t>()[b];
    if (n < 1 || n > T)
      throw ValueError(fmt::format("length_mask: a length must lie in [1, {}]; got {} in row {}", T, n, b));
    for (int64_t t = 0; t < T; ++t) mask.data<bool>()[b * T + t] = t < n;
  }
  return mask;
}

}  // namespace heed::nn
