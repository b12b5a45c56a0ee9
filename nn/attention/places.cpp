#include "nn/attention/places.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/error.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// Calls see(distance) for every pair, in the order of [T, S] or [B, T, S]; returns that shape.
template <class See>
Shape each_distance(const Places& p, const See& see) {
  if (p.regular()) {
    for (int64_t t = 0; t < p.queries; ++t)
      for (int64_t s = 0; s < p.keys; ++s) see(p.first_key + s - (p.first_query + t));
    return {p.queries, p.keys};
  }
  int64_t B = p.query_at.defined() ? p.query_at.size(0) : p.key_at.size(0);
  Tensor q = p.query_at.defined() ? p.query_at.contiguous() : Tensor(),
         k = p.key_at.defined() ? p.key_at.contiguous() : Tensor();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < p.queries; ++t) {
      int64_t at = q.defined() ? q.data<int64_t>()[b * p.queries + t] : p.first_query + t;
      for (int64_t s = 0; s < p.keys; ++s)
        see((k.defined() ? k.data<int64_t>()[b * p.keys + s] : p.first_key + s) - at);
    }
  return {B, p.queries, p.keys};
}

int64_t batch_of(const Places& p) {
  return p.regular() ? 1 : p.query_at.defined() ? p.query_at.size(0) : p.key_at.size(0);
}

}  // namespace

void require_places(const char* operation, const Places& p) {
  if (p.queries < 0 || p.keys < 0 || p.first_query < 0 || p.first_key < 0)
    throw ValueError(
        fmt::format("{}: sizes and the first places must not be negative; got {} queries from {}, {} keys from {}",
                    operation, p.queries, p.first_query, p.keys, p.first_key));
  auto fits = [](const Tensor& at, int64_t count) {
    return !at.defined() || (at.rank() == 2 && at.dtype() == DType::i64 && at.size(1) == count);
  };
  bool one_batch = !p.query_at.defined() || !p.key_at.defined() || p.query_at.size(0) == p.key_at.size(0);
  if (!fits(p.query_at, p.queries) || !fits(p.key_at, p.keys) || !one_batch)
    throw ShapeError(fmt::format("{}: places must be query_at [B, {}] and key_at [B, {}] i64; got {} and {}", operation,
                                 p.queries, p.keys, p.query_at.defined() ? to_string(p.query_at.shape()) : "none",
                                 p.key_at.defined() ? to_string(p.key_at.shape()) : "none"));
}

Places from_first_words(const Places& given, const Tensor& words_, int64_t own) {
  if (words_.dtype() != DType::boolean || words_.rank() != 2) return given;  // the caller checks the mask
  Places places = given;
  const Tensor words = words_.contiguous();
  const int64_t B = words.size(0), S = words.size(1);
  Tensor lengths = Tensor::full({B}, 1, DType::i64), at = Tensor::empty({B, S}, DType::i64);
  const bool counted = given.regular() && given.first_key == 0;
  bool moved = false;
  for (int64_t b = 0; b < B; ++b) {
    const bool* row = words.data<bool>() + b * S;
    int64_t first = std::find(row, row + S, true) - row, end = S;
    if (first == S || !counted) first = 0;
    while (end > first + 1 && !row[end - 1]) --end;
    lengths.data<int64_t>()[b] = end - first;
    for (int64_t s = 0; s < S; ++s)
      at.data<int64_t>()[b * S + s] = own > 0 ? s - first : std::max<int64_t>(0, s - first);
    moved = moved || first > 0;
  }
  if (!places.lengths.defined()) places.lengths = lengths;
  if (!moved) return places;
  places.key_at = at;
  if (own > 0) places.query_at = at.slice(1, S - own, S);
  return places;
}

std::optional<int64_t> queries_after_keys(const Places& p) {
  if (p.regular()) return p.first_query - p.first_key;
  if (!p.query_at.defined() || !p.key_at.defined()) return {};
  const Tensor q = p.query_at.contiguous(), k = p.key_at.contiguous();
  auto counts_up = [](const Tensor& at) {
    const int64_t n = at.size(1), *x = at.data<int64_t>();
    for (int64_t i = 0; i < at.count(); ++i)
      if (i % n > 0 && x[i] != x[i - 1] + 1) return false;
    return true;
  };
  if (q.count() == 0 || k.count() == 0 || q.size(0) != k.size(0) || !counts_up(q) || !counts_up(k)) return {};
  const int64_t apart = q.data<int64_t>()[0] - k.data<int64_t>()[0];
  for (int64_t b = 1; b < q.size(0); ++b)
    if (q.data<int64_t>()[b * q.size(1)] - k.data<int64_t>()[b * k.size(1)] != apart) return {};
  return apart;
}

Places with_keys(const Places& places, const KeptKeys& kept, int64_t own) {
  Places some = places;
  some.first_query = (kept.renumbered ? kept.count() : kept.end) - own;
  some.first_key = kept.renumbered || kept.at.defined() ? 0 : kept.first;
  if (kept.at.defined() && !kept.renumbered && !some.key_at.defined()) some.key_at = kept.at;
  return some;
}

Tensor of_kept(const Tensor& words, const KeptKeys& kept) {
  if (!words.defined() || words.rank() != 2 || words.size(1) != kept.end || words.size(1) == kept.count()) return words;
  if (kept.at.defined()) return gather(words, 1, kept.at.rank() == 3 ? kept.at.select(1, 0).contiguous() : kept.at);
  return words.slice(1, kept.first, kept.end).contiguous();
}

Places of_last_keys(const Places& places, int64_t n) {
  Places some = places;
  if (some.key_at.defined() && some.key_at.rank() == 3) some.key_at = some.key_at.select(1, 0);  // new words: in all
  if (some.key_at.defined()) some.key_at = some.key_at.slice(1, some.key_at.size(1) - n, some.key_at.size(1));
  return some;
}

Places rows_of(const Places& places, int64_t begin, int64_t end) {
  Places some = places;
  some.queries = end - begin;
  some.first_query += begin;
  if (some.query_at.defined()) some.query_at = some.query_at.slice(1, begin, end);
  return some;
}

Tensor distances(const Places& places) {
  require_places("distances", places);
  Tensor out = Tensor::empty({batch_of(places), places.queries, places.keys}, DType::i64);
  int64_t* to = out.data<int64_t>();
  Shape shape = each_distance(places, [&](int64_t distance) { *to++ = distance; });
  return out.reshape(shape);
}

Tensor mask_of_distances(const char* operation, const Places& places, const std::function<bool(int64_t)>& allows) {
  require_places(operation, places);
  Tensor out = Tensor::empty({batch_of(places), places.queries, places.keys}, DType::boolean);
  bool* to = out.data<bool>();
  Shape shape = each_distance(places, [&](int64_t distance) { *to++ = allows(distance); });
  return out.reshape(shape);
}

}  // namespace heed::nn
