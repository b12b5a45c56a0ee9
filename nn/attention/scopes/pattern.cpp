#include "nn/attention/scopes/pattern.h"

#include <algorithm>

namespace heed::nn {
namespace {

constexpr int64_t kPatternBlock = 64;

// Which blocks have an allowed pair in some sentence: mask [B, T, S] -> [ceil(T / 64), ceil(S / 64)].
Tensor blocks_of(const Tensor& mask) {
  int64_t B = mask.size(0), T = mask.size(1), S = mask.size(2);
  int64_t rows = (T + kPatternBlock - 1) / kPatternBlock, columns = (S + kPatternBlock - 1) / kPatternBlock;
  Tensor keep = Tensor::zeros({rows, columns}, DType::boolean);
  const bool* from = mask.data<bool>();
  bool* to = keep.data<bool>();
  for (int64_t row = 0; row < B * T; ++row)
    for (int64_t c = 0; c < columns; ++c) {
      const bool *begin = from + row * S + c * kPatternBlock,
                 *end = from + row * S + std::min((c + 1) * kPatternBlock, S);
      if (std::find(begin, end, true) != end) to[row % T / kPatternBlock * columns + c] = true;
    }
  return keep;
}

}  // namespace

Restriction pattern(const char* operation, const Places& p, const PlacePattern& allows, int64_t sentences) {
  require_places(operation, p);
  int64_t B = p.query_at.defined() ? p.query_at.size(0) : p.key_at.defined() ? p.key_at.size(0) : sentences;
  Tensor query_at = p.query_at.defined() ? p.query_at.contiguous() : Tensor(),
         key_at = p.key_at.defined() ? p.key_at.contiguous() : Tensor();
  Tensor mask = Tensor::empty({B, p.queries, p.keys}, DType::boolean);
  bool* to = mask.data<bool>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < p.queries; ++t) {
      int64_t i = query_at.defined() ? query_at.data<int64_t>()[b * p.queries + t] : p.first_query + t;
      const int64_t* j = key_at.defined() ? key_at.data<int64_t>() + b * p.keys : nullptr;
      for (int64_t s = 0; s < p.keys; ++s) *to++ = allows(b, i, j ? j[s] : p.first_key + s);
    }
  Restriction seen{.allowed = p.regular() && sentences == 1 ? mask.squeeze(0) : mask};
  if (p.regular()) seen.blocks = {.size = kPatternBlock, .keep = blocks_of(mask)};
  return seen;
}

}  // namespace heed::nn
