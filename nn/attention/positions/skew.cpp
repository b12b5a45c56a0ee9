#include "nn/attention/positions/skew.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

DistanceSpan span_of(const Places& places) {
  if (places.regular())
    return {places.first_query + places.queries - 1 - places.first_key, places.queries + places.keys - 1, {}};
  Tensor apart = distances(places);
  if (apart.count() == 0) return {0, 0, apart};
  const auto* a = apart.data<int64_t>();
  auto [least, most] = std::minmax_element(a, a + apart.count());
  return {-*least, *most - *least + 1, apart};
}

// products [B, H, T, N] of each query with all distances -> those of its keys, [B, H, T, S], N = T + S - 1.
Variable skewed(const Variable& products, int64_t S) {
  int64_t B = products.size(0), H = products.size(1), T = products.size(2), N = products.size(3);
  if (T == 1) return products;  // one query: its distances are those of the keys already
  Variable flat = slice(reshape(products, {B, H, T * N}), 2, T - 1, T - 1 + T * (N - 1));
  return slice(reshape(flat, {B, H, T, N - 1}), 3, 0, S);
}

// The same where each sentence has places of its own: key s of query t has column largest - (t - s).
Variable picked(const Variable& products, const Tensor& keys_minus_queries, int64_t largest) {
  int64_t B = products.size(0), H = products.size(1), T = products.size(2), S = keys_minus_queries.size(-1);
  Tensor columns = Tensor::empty({B, H, T, S}, DType::i64);
  const auto* from = keys_minus_queries.data<int64_t>();
  int64_t sentences = keys_minus_queries.size(0);
  auto* to = columns.data<int64_t>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t h = 0; h < H; ++h)
      for (int64_t i = 0; i < T * S; ++i) *to++ = largest + from[(sentences == 1 ? 0 : b) * T * S + i];
  return gather(products, 3, columns);
}

SkewPositions::SkewPositions(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "skew")), settings(options.settings.as<Settings>()) {
  if (o.heads < 1 || o.key < 1)
    throw ValueError(
        fmt::format("SkewPositions: needs at least one head and its width; got {} heads of width {}", o.heads, o.key));
  table = normal_parameter({o.heads, 2 * settings.max_distance + 1, o.key}, 0.02, rng);
}

Variable SkewPositions::bias(const Variable& q, const Places& places, double scale) const {
  Call call(*this);
  int64_t H = options.heads, T = places.queries, S = places.keys, D = settings.max_distance;
  if (T == 0 || S == 0) return Variable(Tensor::zeros({q.size(0), H, T, S}, q.dtype()));
  DistanceSpan span = span_of(places);
  std::vector<int64_t> rows;  // column n is the distance n - largest, key minus query
  for (int64_t n = 0; n < span.count; ++n) rows.push_back(std::clamp(n - span.largest, -D, D) + D);
  Variable band = index_select(table, 1, Tensor::from(rows, {span.count}));  // [H, N, K]
  Variable products = matmul(q, expand(unsqueeze(transpose(band, 1, 2), 0), {q.size(0), H, q.size(3), span.count}));
  products = products * scale;  // [B, H, T, N]
  return call.result("scores", places.regular() ? skewed(products, S) : picked(products, span.apart, span.largest));
}

}  // namespace heed::nn
