#include "nn/attention/evaluators/by_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/evaluators/chunked.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/positions/counts_in_blocks.h"

namespace heed::nn {
namespace {

constexpr int64_t kSteep = 12;  // at 1/12 of words_ahead the factor of a key is e^6.7 in f32

PlaceRows rows_of_places(const Tensor& at, int64_t first, int64_t n) {
  PlaceRows rows{1, n};
  if (at.defined()) {
    const Tensor all = at.contiguous();
    rows.rows = all.size(0), rows.at.assign(all.data<int64_t>(), all.data<int64_t>() + all.count());
  } else {
    for (int64_t i = 0; i < n; ++i) rows.at.push_back(first + i);
  }
  return rows;
}

bool in_one_block(const PlaceRows& q, const PlaceRows& k, int64_t N) {
  const int64_t block = (q.at.empty() ? k.at : q.at)[0] / N;
  auto same = [=](int64_t place) { return place / N == block; };
  return std::all_of(q.at.begin(), q.at.end(), same) && std::all_of(k.at.begin(), k.at.end(), same);
}

// Can queries and keys be recounted from another place? That changes the factor of each pair of their entries, so the
// score must be a scaled inner product of query and key, and the evaluator exact.
bool movable(const Score& score, const Evaluator* by) {
  return score.any_width() && score.product_scale() && (!by || by->exact());
}

// A piece of the queries: in each row its first and its last place, and the last place of a key that it may see.
struct Piece {
  std::vector<int64_t> first, last, seen;
};

// The largest number of words that a visible key is after its query; `right`: the most that the scope allows.
int64_t words_ahead(const PlaceRows& q, const PlaceRows& k, int64_t right) {
  int64_t most = 0;
  for (int64_t b = 0; b < std::max(q.rows, k.rows); ++b) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (int64_t t = 0; t < q.n; ++t) first = std::min(first, q.of(b, t));
    for (int64_t s = 0; s < k.n; ++s) last = std::max(last, k.of(b, s));
    most = std::max(most, std::min(right, last - first));
  }
  return most;
}

// Adds query t to the piece and returns true, unless its places would then span more than a block, or a key that it may
// see would be too far after its first query. longest: the last place of the keys in each row.
bool takes(Piece& piece, const PlaceRows& q, int64_t t, const std::vector<int64_t>& longest, int64_t right,
           const CountsInBlocks& position, DType dtype) {
  Piece more = piece;
  more.first.resize(longest.size(), INT64_MAX), more.last.resize(longest.size(), INT64_MIN), more.seen = longest;
  for (size_t b = 0; b < longest.size(); ++b) {
    const int64_t p = q.of(static_cast<int64_t>(b), t);
    more.first[b] = std::min(more.first[b], p), more.last[b] = std::max(more.last[b], p);
    more.seen[b] = std::min(longest[b], more.last[b] + right);
    if (more.last[b] - more.first[b] > position.block_words(dtype)) return false;
    if (more.seen[b] - more.first[b] > position.words_ahead(dtype)) return false;
  }
  piece = std::move(more);
  return true;
}

}  // namespace

int64_t most_words(const HeadPosition& position, const Score& score, const Evaluator* by, bool ahead, DType dtype) {
  const auto* counted = dynamic_cast<const CountsInBlocks*>(&position);
  if (!counted) return 0;
  if (!movable(score, by)) return counted->block_words(dtype);
  return ahead ? counted->words_ahead(dtype) + 1 : 0;
}

Attended by_blocks(const Evaluator& chosen, const StageSet& stages, const AttentionCall& given, StageContext& context) {
  auto whole = [&](const Evaluator& by) {
    return given.memory ? by.step(stages, given, *given.memory, context) : by(stages, given, context);
  };
  const auto* position = dynamic_cast<const CountsInBlocks*>(&stages.position);
  const Places& p = context.places;
  if (!position || p.queries == 0 || p.keys == 0) return whole(chosen);
  const DType dtype = given.queries.dtype();
  const PlaceRows q = rows_of_places(p.query_at, p.first_query, p.queries),
                  k = rows_of_places(p.key_at, p.first_key, p.keys);
  const int64_t N = position->block_words(dtype);
  const bool moves = movable(stages.score, &chosen);
  // Evaluators that store no weights round gradients in proportion to the size of the keys (attend.h). Dense does not.
  const DenseEvaluator dense;
  const bool steep = moves && !given.memory && !chosen.shows_weights() &&
                     words_ahead(q, k, given.restriction.right) > position->words_ahead(dtype) / kSteep;
  const Evaluator& by = steep ? dense : chosen;
  if (in_one_block(q, k, N) && (moves || q.at[0] / N == 0)) return whole(by);
  const int64_t end =
      1 + std::max(*std::max_element(q.at.begin(), q.at.end()), *std::max_element(k.at.begin(), k.at.end()));
  if (!moves)
    throw ValueError(
        fmt::format("{}: beyond {} words in {} it needs the score dot or scaled_dot and an evaluator with the numbers "
                    "of dense; got {} words; hint: a larger decay",
                    position->scheme(), N, name_of(dtype), end));
  AttentionCall call = given;
  call.weights = given.weights || stages.sequential();  // which reads them at the next query
  if (call.memory)
    call.keys = call.memory->view().keys, call.values = call.memory->view().values, call.memory = nullptr;
  const size_t rows = static_cast<size_t>(std::max(q.rows, k.rows));
  std::vector<int64_t> longest(rows, INT64_MIN), ends;
  for (size_t b = 0; b < rows; ++b)
    for (int64_t s = 0; s < k.n; ++s) longest[b] = std::max(longest[b], k.of(static_cast<int64_t>(b), s));
  std::vector<Piece> pieces;
  for (int64_t t = 0; t < q.n; ++t) {
    if (!pieces.empty() && takes(pieces.back(), q, t, longest, call.restriction.right, *position, dtype)) {
      ends.back() = t + 1;
      continue;
    }
    pieces.emplace_back(), ends.push_back(t + 1);
    if (!takes(pieces.back(), q, t, longest, call.restriction.right, *position, dtype))
      throw ValueError(
          fmt::format("{}: a key may be at most {} words after its query in {}, or its factor overflows; got {} words; "
                      "hint: a causal scope, or a larger decay",
                      position->scheme(), position->words_ahead(dtype), name_of(dtype), end));
  }
  if (pieces.size() > 1 && !stages.normaliser.row_wise())
    throw ValueError(
        fmt::format("{}: a normaliser that needs all queries together needs them within {} words in {}; got {} words; "
                    "hint: a larger decay",
                    position->scheme(), N, name_of(dtype), end));
  return in_pieces(call, context, ends, [&](AttentionCall some, size_t i, StageContext& of_piece) {
    const int64_t begin = i == 0 ? 0 : ends[i - 1];
    PlaceRows of_queries{q.rows, ends[i] - begin};
    for (int64_t b = 0; b < q.rows; ++b)
      for (int64_t t = begin; t < ends[i]; ++t) of_queries.at.push_back(q.of(b, t));
    some.queries = position->recounted(some.queries, of_queries, {.from = pieces[i].first});
    some.keys = position->recounted(some.keys, k, {.from = pieces[i].first, .last = pieces[i].seen, .key = true});
    return by(stages, some, of_piece);
  });
}

}  // namespace heed::nn
