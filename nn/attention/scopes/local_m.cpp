#include "nn/attention/scopes/local_m.h"

#include "nn/attention/scopes/masks_by_place.h"

#include <algorithm>
#include <cstdlib>

#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {

namespace {
// Where places are given one by one, the window of each query is around its own place.
Restriction around(const Tensor& far, int64_t width) {
  return {.allowed = less_equal(abs(far), static_cast<double>(width))};
}
}  // namespace

// The mask is [B, T, S], or [1, T, S] if all sources have the same length.
Restriction LocalMScope::operator()(const Variable&, const Variable&, StageContext& context) const {
  const Places& p = context.places;
  if (!p.regular()) return around(distances(p), width);
  int64_t B = p.lengths.defined() ? p.lengths.size(0) : 1;
  Tensor lengths = p.lengths.defined() ? p.lengths.contiguous()
                                       : Tensor::full({1}, static_cast<double>(p.first_key + p.keys), DType::i64);
  Tensor mask = Tensor::empty({B, p.queries, p.keys}, DType::boolean);
  bool* m = mask.data<bool>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < p.queries; ++t) {
      int64_t centre = std::min(p.first_query + t, lengths.data<int64_t>()[b] - 1);
      for (int64_t s = 0; s < p.keys; ++s) *m++ = std::abs(p.first_key + s - centre) <= width;
    }
  return {.allowed = mask};
}

Tensor LocalMScope::picture(const Places& m) {
  Places places = m;
  places.lengths = padded_source(m);  // the windows stay at its last word
  return mul(picture_of(chosen<LocalMScope>({.window = 2}), places), padding_picture(m));
}

}  // namespace heed::nn
