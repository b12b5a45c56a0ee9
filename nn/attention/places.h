// Where the queries and the keys of one call of attention are in their sequences.
//
//   place of query t = first_query + t      or query_at[b, t]     where the places are given one by one
//   place of key s   = first_key + s        or key_at[b, s]
//
// With a cache the queries begin later than the keys; a ring of the last words begins at a later key; prompts of
// unequal length that are padded on the left, and sentences packed into one row, need a place for each word. Scopes,
// positions and masks all read this one description. B batch, T queries, S keys.
#pragma once

#include <functional>
#include <optional>

#include "tensor/tensor.h"

namespace heed::nn {

struct Places {
  int64_t queries = 0, keys = 0;  // T, S
  int64_t first_query = 0, first_key = 0;
  Tensor lengths = {};  // [B] i64: number of words of each source; undefined: all S
  // [B, T], [B, S] i64; undefined: counted from the first. Keys of a memory whose G heads are of other words:
  // [B, G, S], for positions/by_key_head.h.
  Tensor query_at = {}, key_at = {};
  bool regular() const { return !query_at.defined() && !key_at.defined(); }
};

// ValueError or ShapeError, naming `operation`, for impossible sizes or places.
void require_places(const char* operation, const Places& places);
// The places of a source counted from the first word of each sentence; padding before it has the place 0. words bool
// [B, S]: false for padding. Fills in `lengths` unless it is given. Fills in key_at if a sentence has padding before it
// and no places are given. For self-attention it also fills in query_at, for `own` queries that are the last words of
// the row; padding before the first word then has negative places, so that all distances in the row stay the same.
Places from_first_words(const Places& places, const Tensor& words, int64_t own = 0);
// Which words of a sequence a memory keeps the keys of: those from `first` to end - 1, or `at` where words between them
// are forgotten.
struct KeptKeys {
  int64_t first = 0, end = 0;  // end: the number of words so far
  Tensor at = {};              // [B, L] i64, or for each key-value head [B, G, L]; rising in each row
  bool renumbered = false;     // their places are 0, .., L - 1 (in the memory), not those in the text
  int64_t count() const { return at.defined() ? at.size(-1) : end - first; }
};
// The places of these keys, and of `own` queries that are the last words of all.
Places with_keys(const Places& places, const KeptKeys& kept, int64_t own);
// Selects from `words`, the key padding mask bool [B, S] of all words so far, the part of the kept keys. Where each
// head keeps its own words, it has dropped padding first, so padding is at the same keys of all heads.
Tensor of_kept(const Tensor& words, const KeptKeys& kept);
// The last n of the keys.
Places of_last_keys(const Places& places, int64_t n);
// The rows [begin, end) of the queries.
Places rows_of(const Places& places, int64_t begin, int64_t end);

// The place of the first query minus that of the first key, if places count up by one in each row, and if this number
// is the same in all rows: the distance of query t and key s then is that of regular places.
std::optional<int64_t> queries_after_keys(const Places& places);
// Place of the key minus place of the query: [T, S] i64, or [B, T, S] where the places are given one by one.
Tensor distances(const Places& places);
// bool of the same shape: which distances `allows` accepts. ValueError, naming `operation`, for negative sizes.
Tensor mask_of_distances(const char* operation, const Places& places, const std::function<bool(int64_t)>& allows);

}  // namespace heed::nn
