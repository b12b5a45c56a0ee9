// Keys and values that stay: the cache holds what joined holds, and moves with the rows of a search.
#include "nn/attention/memories/head_cache.h"

#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::HeadMemory words(int64_t rows, int64_t count, uint64_t seed) {
  return {random({rows, 2, count, 3}, seed), random({rows, 2, count, 4}, seed + 1)};
}

void same(const nn::HeadMemory& a, const nn::HeadMemory& b) {
  CHECK(bit_equal(a.keys.value().contiguous(), b.keys.value().contiguous()));
  CHECK(bit_equal(a.values.value().contiguous(), b.values.value().contiguous()));
}

}  // namespace

// Word by word or in any pieces, the cache holds the keys and values of all words at once.
TEST_CASE("head cache: word by word, in whatever pieces, it holds what joined holds" *
          holds("cache_holds_what_joined_holds")) {
  nn::HeadCache cache;
  nn::HeadMemory all;
  CHECK_FALSE(cache.view().keys.defined());
  CHECK(cache.bytes() == 0);
  for (int64_t count : {1, 3, 1, 1, 12, 1, 40, 1}) {
    nn::HeadMemory next = words(3, count, static_cast<uint64_t>(100 + cache.words()));
    cache.append(next);
    all = joined(all, next);
    same(cache.view(), all);
  }
  CHECK(cache.words() == 60);
  CHECK(cache.bytes() == 60 * 3 * 2 * (3 + 4) * 4);
}

// As a search reorders, drops or repeats its rows, each row keeps its own past.
TEST_CASE("head cache: rows that a search keeps move with their past, and fewer or more of them" *
          holds("cache_moves_with_its_rows")) {
  nn::HeadCache cache;
  cache.keep(Tensor::from(std::vector<int64_t>{0}, {1}));  // nothing there: nothing to move
  nn::HeadMemory past = words(3, 5, 1);
  cache.append(past);
  for (const std::vector<int64_t>& order : {std::vector<int64_t>{2, 2, 0, 1}, {3}, {0, 0}}) {
    Tensor rows = Tensor::from(order, {static_cast<int64_t>(order.size())});
    cache.keep(rows);
    past = {index_select(past.keys.value(), 0, rows), index_select(past.values.value(), 0, rows)};
    nn::HeadMemory next = words(rows.count(), 1, 50);
    cache.append(next);
    past = joined(past, next);
    same(cache.view(), past);
  }
}
