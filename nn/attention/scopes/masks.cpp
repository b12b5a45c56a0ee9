#include "nn/attention/scopes/masks.h"

#include "nn/padding.h"

#include "nn/attention/scopes/masks_by_place.h"

#include <fmt/format.h>

#include <cstdlib>

#include "autograd/ops_shape.h"
#include "tensor/compare.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

void require_width(const char* name, int64_t width) {
  if (width < 0) throw ValueError(fmt::format("{}: the width must not be negative; got {}", name, width));
}

}  // namespace

Tensor causal_mask(const Places& places) {
  return mask_of_distances("causal_mask", places, [](int64_t d) { return d <= 0; });
}

Tensor window_mask(const Places& places, int64_t width) {
  require_width("window_mask", width);
  return mask_of_distances("window_mask", places, [=](int64_t d) { return std::abs(d) <= width; });
}

Tensor dilated_mask(const Places& places, int64_t width, int64_t gap) {
  require_width("dilated_mask", width);
  if (gap < 1) throw ValueError(fmt::format("dilated_mask: the gap must be at least 1; got {}", gap));
  return mask_of_distances("dilated_mask", places,
                           [=](int64_t d) { return d % gap == 0 && std::abs(d) <= width * gap; });
}

Tensor previous_mask(const Places& places, int64_t width) {
  require_width("previous_mask", width);
  return mask_of_distances("previous_mask", places, [=](int64_t d) { return d <= -1 && d >= -width; });
}

Tensor both(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  if (a.rank() == 4 || b.rank() == 4) return logical_and(beside_heads(a), beside_heads(b));
  return logical_and(a, b);
}

Tensor beside_heads(const Tensor& mask) { return mask.defined() && mask.rank() == 3 ? mask.unsqueeze(1) : mask; }
Variable beside_heads(const Variable& bias) { return bias.defined() && bias.rank() == 3 ? unsqueeze(bias, 1) : bias; }

void require_beside(const char* operation, const char* what, const Shape& given, const Shape& scores) {
  bool fits = given.rank() <= scores.rank();
  for (int i = 1; fits && i <= given.rank(); ++i)
    fits = given[given.rank() - i] == 1 || given[given.rank() - i] == scores[scores.rank() - i];
  if (fits) return;
  if (scores.rank() < 4) broadcast_shape(operation, given, scores);  // throws, and says which axis does not fit
  const char* rule = scores.rank() < 4 ? "" : "; hint: of rank 3 it is [B, T, S]; one for each head is [1, H, T, S]";
  throw ShapeError(fmt::format("{}: the {} must broadcast to the scores; got {} {} and scores {}{}", operation, what,
                               what, to_string(given), to_string(scores), rule));
}

Tensor padded_source(const Places& m) {
  return Tensor::full({1}, static_cast<double>(m.keys - m.keys / 4), DType::i64);
}

Tensor padding_picture(const Places& m) {
  return length_mask(padded_source(m), m.keys).expand({m.queries, m.keys}).contiguous().to(DType::f64);
}

}  // namespace heed::nn
