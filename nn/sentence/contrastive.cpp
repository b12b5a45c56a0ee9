#include "nn/sentence/contrastive.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

Variable contrastive_loss(const Variable& a, const Variable& b, const ContrastiveOptions& o) {
  if (a.rank() != 2 || !(a.shape() == b.shape()))
    throw ShapeError(fmt::format("contrastive_loss: needs a and b [B, D], pair by pair; got {} and {}",
                                 to_string(a.shape()), to_string(b.shape())));
  if (!(o.temperature > 0))
    throw ValueError(fmt::format("contrastive_loss: the temperature must be positive; got {}", o.temperature));
  Variable s = matmul(unit_rows(a), transpose(unit_rows(b), 0, 1)) / o.temperature;  // [B, B]
  std::vector<int64_t> own(static_cast<size_t>(a.size(0)));
  for (size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int64_t>(i);
  Tensor targets = Tensor::from(own, {a.size(0)});
  Variable there = cross_entropy(s, targets);
  return o.symmetric ? (there + cross_entropy(contiguous(transpose(s, 0, 1)), targets)) * 0.5 : there;
}

}  // namespace heed::nn
