#include "nn/attention/scopes/fixed.h"

#include <algorithm>
#include <cstdlib>

#include "nn/attention/scopes/masks.h"

namespace heed::nn {
namespace {

// [B, T, S], or [1, T, S] where all sources have the same length.
Tensor monotonic(const Place& place, int64_t D) {
  int64_t B = place.lengths.defined() ? place.lengths.size(0) : 1;
  Tensor lengths =
      place.lengths.defined() ? place.lengths.contiguous() : Tensor::full({1}, double(place.keys), DType::i64);
  Tensor mask = Tensor::empty({B, place.queries, place.keys}, DType::boolean);
  bool* m = mask.data<bool>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t i = 0; i < place.queries; ++i) {
      int64_t centre = std::min(place.first + i, lengths.data<int64_t>()[b] - 1);
      for (int64_t s = 0; s < place.keys; ++s) *m++ = std::abs(s - centre) <= D;
    }
  return mask;
}

}  // namespace

FixedScope::FixedScope(const Options& o, Generator&) : options(o) {}

Window FixedScope::operator()(const Variable&, const Place& place) const {
  MaskShape shape{.queries = place.queries, .keys = place.keys, .first = place.first};
  if (options.name == "causal") return {.allowed = causal_mask(shape)};
  if (options.name == "window") return {.allowed = window_mask(shape, options.window)};
  if (options.name == "dilated") return {.allowed = dilated_mask(shape, options.window, options.gap)};
  if (options.name == "local_m") return {.allowed = monotonic(place, options.window)};
  return {};  // global
}

}  // namespace heed::nn
