#include "nn/data/batches.h"

#include <algorithm>
#include <set>

#include "nn/text/vocabulary.h"
#include "tests/refuses.h"

using namespace heed;
using namespace heed::data;
using heed::bad_input::refuses;

namespace {
std::vector<EncodedPair> some_pairs(int n) {
  Generator rng(3);
  std::vector<EncodedPair> pairs;
  for (int i = 0; i < n; ++i) {
    EncodedPair p;
    for (int64_t k = 1 + rng.below(12); k > 0; --k) p.source.push_back(4 + rng.below(9));
    for (int64_t k = rng.below(12); k > 0; --k) p.target.push_back(4 + rng.below(9));
    pairs.push_back(std::move(p));
  }
  return pairs;
}
}  // namespace

TEST_CASE("a batch: <s> before, </s> behind, <pad> around") {
  Batch b = make_batch({{{7, 3}, {5, 6}}, {{8, 9, 4, 3}, {5}}}, {0, 1});
  CHECK(b.source.to_vector() == std::vector<double>{7, 3, 0, 0, 8, 9, 4, 3});
  CHECK(b.lengths.to_vector() == std::vector<double>{2, 4});
  CHECK(b.target_in.to_vector() == std::vector<double>{2, 5, 6, 2, 5, 0});
  CHECK(b.target_out.to_vector() == std::vector<double>{5, 6, 3, 5, 3, 0});
  CHECK(b.tokens == 5);
  CHECK_THROWS_AS(make_batch({}, {}), ValueError);
}

TEST_CASE("an epoch has each pair once, in another order each epoch, the same for the same seed") {
  auto pairs = some_pairs(1000);
  auto a = epoch_batches(pairs, 16, 1, 1), b = epoch_batches(pairs, 16, 1, 1), c = epoch_batches(pairs, 16, 1, 2),
       d = epoch_batches(pairs, 16, 2, 1);
  CHECK(a == b);
  CHECK(a != c);
  CHECK(a != d);
  std::multiset<int64_t> seen;
  for (auto& batch : a) {
    CHECK(batch.size() <= 16);
    seen.insert(batch.begin(), batch.end());
  }
  CHECK(seen.size() == 1000);
  CHECK(std::set<int64_t>(seen.begin(), seen.end()).size() == 1000);
  CHECK_THROWS_AS(epoch_batches(pairs, 0, 1, 1), ValueError);
}

TEST_CASE("sentences of like length go together: little padding, against batches in the given order") {
  auto pairs = some_pairs(2000);
  auto padding = [&](const std::vector<std::vector<int64_t>>& batches) {
    int64_t total = 0;
    for (auto& members : batches) {
      Batch b = make_batch(pairs, members);
      for (int64_t i = 0; i < b.source.count(); ++i) total += b.source.data<int64_t>()[i] == text::Vocabulary::pad;
    }
    return total;
  };
  std::vector<std::vector<int64_t>> plain;
  for (int64_t i = 0; i < 2000; i += 20) {
    plain.emplace_back();
    for (int64_t k = i; k < i + 20; ++k) plain.back().push_back(k);
  }
  CHECK(padding(epoch_batches(pairs, 20, 1, 1)) * 5 < padding(plain));
  CHECK(padding(sorted_batches(pairs, 20)) <= padding(epoch_batches(pairs, 20, 1, 1)));
}

TEST_CASE("sorted batches: no more sentences and no more padded source tokens than asked, except for one long one") {
  std::vector<EncodedPair> pairs;
  for (int length : {3, 1, 40, 2, 3, 5, 2, 4, 3, 6})
    pairs.push_back({.source = std::vector<int64_t>(static_cast<size_t>(length), 5), .target = {}});
  // By length: 1 2 2 | 3 3 3 | 4 5 | 6 | 40
  CHECK(sorted_batches(pairs, 3, 10) == std::vector<std::vector<int64_t>>{{1, 3, 6}, {0, 4, 8}, {7, 5}, {9}, {2}});
  CHECK(sorted_batches(pairs, 100, 10'000).size() == 1);
  CHECK(sorted_batches(pairs, 3).size() == 4);
  CHECK(sorted_batches({}, 3, 10).empty());
}

TEST_CASE(
    "batches by tokens: none larger than asked, each nearly full, each pair once, the order from seed and epoch") {
  auto pairs = some_pairs(1000);
  auto length = [&](int64_t i) {
    const EncodedPair& p = pairs[static_cast<size_t>(i)];
    return static_cast<int64_t>(std::max(p.source.size(), p.target.size() + 1));
  };
  auto a = token_batches(pairs, 100, 1, 1);
  CHECK(a == token_batches(pairs, 100, 1, 1));
  CHECK(a != token_batches(pairs, 100, 1, 2));
  CHECK(a != token_batches(pairs, 100, 2, 1));
  std::set<int64_t> seen;
  int64_t padded = 0, plain = 0;
  for (auto& members : a) {
    Batch b = make_batch(pairs, members);
    int64_t size = b.source.size(0) * std::max(b.source.size(1), b.target_in.size(1));
    CHECK(size <= 100);
    padded += size;
    for (int64_t m : members) plain += length(m);
    seen.insert(members.begin(), members.end());
  }
  CHECK(seen.size() == 1000);
  CHECK(padded < plain * 102 / 100);                                // of like length
  CHECK(static_cast<int64_t>(a.size()) <= padded / 100 * 12 / 10);  // and full
  CHECK(std::is_sorted(a.begin(), a.end(), [&](auto& x, auto& y) { return length(x[0]) < length(y[0]); }) == false);
  refuses("token_batches: 11 got 12", [&] { token_batches(pairs, 11, 1, 1); });
  CHECK(token_batches(pairs, 12, 1, 1).size() >= 500);
}
