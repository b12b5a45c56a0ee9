#include "nn/attention/scopes/segments.h"

#include <algorithm>

namespace heed::nn {
namespace {

// at [B, N], places of the words first, first + 1, .. of each row -> [B, N], where their sentences begin.
Tensor begins(const Tensor& at, int64_t first, int64_t B, int64_t N) {
  Tensor begin = Tensor::zeros({B, N}, DType::i64);
  if (!at.defined()) return begin;
  Tensor places = at.contiguous();
  for (int64_t i = 0; i < B * N; ++i) begin.data<int64_t>()[i] = first + i % N - places.data<int64_t>()[i];
  return begin;
}

}  // namespace

Restriction SegmentScope::operator()(const Variable&, const Variable&, StageContext& context) const {
  const Places& p = context.places;
  require_places("segments", p);
  if (!p.query_at.defined()) return {};  // the queries are of another sequence: all keys of the row are one sentence
  int64_t B = p.query_at.size(0);
  Places begin{.queries = p.queries, .keys = p.keys};
  begin.query_at = begins(p.query_at, p.first_query, B, p.queries);
  begin.key_at = begins(p.key_at, p.first_key, B, p.keys);
  return {.allowed = mask_of_distances("segments", begin, [](int64_t apart) { return apart == 0; })};
}

Tensor SegmentScope::picture(const Places& m) {
  Places places = m;
  Tensor at = Tensor::empty({1, std::max(m.queries, m.keys)}, DType::i64);
  for (int64_t n = 0; n < at.size(1); ++n) at.set({0, n}, static_cast<double>(n % 7 < 3 ? n % 7 : n % 7 - 3));
  places.query_at = at.slice(1, 0, m.queries), places.key_at = at.slice(1, 0, m.keys);
  return picture_of({.name = about.name()}, places);
}

}  // namespace heed::nn
