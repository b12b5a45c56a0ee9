#include "nn/attention/scopes/longformer.h"

#include <algorithm>
#include <cstdlib>

namespace heed::nn {
namespace {

constexpr int64_t kBlock = 64;

// Which blocks have an allowed pair: [ceil(T / 64), ceil(S / 64)].
Tensor kept_blocks(const Places& p, int64_t D, int64_t g) {
  int64_t rows = (p.queries + kBlock - 1) / kBlock, columns = (p.keys + kBlock - 1) / kBlock;
  Tensor keep = Tensor::empty({rows, columns}, DType::boolean);
  bool* to = keep.data<bool>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      int64_t i = p.first_query + r * kBlock, j = p.first_key + c * kBlock;  // the first places of the block
      int64_t i_end = p.first_query + std::min((r + 1) * kBlock, p.queries) - 1,
              j_end = p.first_key + std::min((c + 1) * kBlock, p.keys) - 1;
      *to++ = i < g || j < g || std::max(j - i_end, i - j_end) <= D;
    }
  return keep;
}

}  // namespace

Restriction LongformerScope::operator()(const Variable&, const Variable&, StageContext& context) const {
  const auto [D, g] = settings;
  const Places& p = context.places;
  require_places("longformer", p);
  int64_t B = p.query_at.defined() ? p.query_at.size(0) : p.key_at.defined() ? p.key_at.size(0) : 1;
  Tensor query_at = p.query_at.defined() ? p.query_at.contiguous() : Tensor(),
         key_at = p.key_at.defined() ? p.key_at.contiguous() : Tensor();
  Tensor mask = Tensor::empty({B, p.queries, p.keys}, DType::boolean);
  bool* m = mask.data<bool>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < p.queries; ++t) {
      int64_t i = query_at.defined() ? query_at.data<int64_t>()[b * p.queries + t] : p.first_query + t;
      const int64_t* j = key_at.defined() ? key_at.data<int64_t>() + b * p.keys : nullptr;
      for (int64_t s = 0; s < p.keys; ++s) {
        int64_t at = j ? j[s] : p.first_key + s;
        *m++ = i < g || at < g || std::abs(i - at) <= D;
      }
    }
  if (!p.regular()) return {.allowed = mask};
  return {.allowed = mask.squeeze(0), .blocks = {.size = kBlock, .keep = kept_blocks(p, D, g)}};
}

}  // namespace heed::nn
