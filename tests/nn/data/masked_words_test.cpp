#include "nn/data/masked_words.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

using namespace heed;
using namespace heed::data;

namespace {

constexpr MaskingOptions kMasking{.vocabulary = 50, .first_word = 7, .mask = 6};

// [CLS] 100 words [SEP], with an <unk> in place 10
std::vector<int64_t> long_text() {
  std::vector<int64_t> ids{4};
  for (int64_t i = 0; i < 100; ++i) ids.push_back(7 + i % 43);
  ids.push_back(5);
  ids[10] = 1;
  return ids;
}

// |count - n p| within 4 standard deviations of a binomial
bool as_expected(int64_t count, int64_t n, double p) {
  auto m = static_cast<double>(n);
  return std::abs(static_cast<double>(count) - m * p) <= 4 * std::sqrt(m * p * (1 - p));
}

}  // namespace

TEST_CASE("masked words: 15 % are asked for; of these 80 % hidden, 10 % exchanged, 10 % as they were") {
  const std::vector<int64_t> text = long_text();  // 99 words: 15 asked for
  constexpr int64_t kTexts = 2000;
  int64_t asked = 0, hidden = 0, exchanged = 0, kept = 0;
  std::map<int64_t, int64_t> at, written;
  for (int64_t i = 0; i < kTexts; ++i) {
    MaskedText m = mask_words(text, kMasking, masking_generator(kMasking, 1, i));
    REQUIRE(m.places.size() == 15);
    CHECK(std::is_sorted(m.places.begin(), m.places.end()));
    CHECK(std::set<int64_t>(m.places.begin(), m.places.end()).size() == 15);
    std::vector<int64_t> rest = m.ids;
    for (size_t k = 0; k < m.places.size(); ++k) {
      auto place = static_cast<size_t>(m.places[k]);
      CHECK(m.words[k] == text[place]);
      ++asked, ++at[m.places[k]];
      if (m.ids[place] == kMasking.mask) {
        ++hidden;
      } else if (m.ids[place] == text[place]) {
        ++kept;
      } else {
        ++exchanged, ++written[m.ids[place]];
      }
      rest[place] = text[place];
    }
    CHECK(rest == text);  // nothing else was touched
  }
  CHECK(as_expected(hidden, asked, 0.8));
  CHECK(as_expected(exchanged, asked, 0.1));
  CHECK(as_expected(kept, asked, 0.1));
  for (int64_t place = 0; place < std::ssize(text); ++place) {
    bool special = text[static_cast<size_t>(place)] < kMasking.first_word;
    if (special) CHECK(at.count(place) == 0);
    if (!special) CHECK(as_expected(at[place], kTexts, 15.0 / 99));
  }
  CHECK(written.begin()->first == kMasking.first_word);  // every word, no special
  CHECK(written.rbegin()->first == kMasking.vocabulary - 1);
  CHECK(written.size() == 43);
}

TEST_CASE("masked words: k is the rounded share, at least one") {
  auto asked = [](int64_t words, double share) {
    MaskingOptions o = kMasking;
    o.share = share;
    std::vector<int64_t> text(static_cast<size_t>(words), 9);
    return mask_words(text, o, Generator(1)).words.size();
  };
  CHECK(asked(1, 0.15) == 1);
  CHECK(asked(3, 0.15) == 1);
  CHECK(asked(9, 0.15) == 1);
  CHECK(asked(10, 0.15) == 2);
  CHECK(asked(40, 0.15) == 6);
  CHECK(asked(7, 1) == 7);
}

TEST_CASE("masked words: another mask each epoch and text, the same for any batch") {
  std::vector<EncodedPair> texts;
  for (int64_t i = 0; i < 12; ++i) {
    auto text = long_text();
    text.resize(static_cast<size_t>(20 + 3 * i));
    texts.push_back({text, {}});
  }
  auto masked = [&](const std::vector<int64_t>& members, int64_t epoch) {
    Batch b = masked_batch(texts, members, kMasking, epoch);
    std::map<int64_t, std::vector<double>> rows;  // of a text: what is read, then the words asked for
    int64_t S = b.source.size(1);
    for (size_t r = 0; r < members.size(); ++r) {
      auto row = static_cast<int64_t>(r);
      auto& seen = rows[members[r]];
      for (int64_t s = 0; s < static_cast<int64_t>(b.lengths.at({row})); ++s) seen.push_back(b.source.at({row, s}));
      for (int64_t i = 0; i < b.tokens; ++i) {
        auto place = static_cast<int64_t>(b.target_in.at({i}));
        if (place / S == row) seen.push_back(b.target_out.at({i})), seen.push_back(static_cast<double>(place % S));
      }
    }
    return rows;
  };
  auto all = masked({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3);
  CHECK(masked({11, 2}, 3)[2] == all[2]);
  CHECK(masked({7}, 3)[7] == all[7]);
  CHECK(masked({7}, 4)[7] != all[7]);
  Batch b = masked_batch(texts, {3, 0}, kMasking, 0);
  CHECK(b.tokens == 4 + 3);  // of 27 and 18 words
  CHECK(b.members == std::vector<int64_t>{3, 0});
  CHECK(b.source.shape() == Shape{2, 29});
  auto same = mask_words(texts[0].source, kMasking, masking_generator(kMasking, 1, 0));
  CHECK(mask_words(texts[0].source, kMasking, masking_generator(kMasking, 1, 5)).places != same.places);
  Generator again = masking_generator(kMasking, 1, 5), seeded(kMasking.seed + 2 * 0x9E3779B97F4A7C15u, 5 << 20);
  CHECK(again.next_u32() == seeded.next_u32());  // so that a run can be told again
}

TEST_CASE("two segments: [CLS] a [SEP] b [SEP], kinds 0 and 1") {
  CHECK(marked({4, 5}, {8, 9}) == std::vector<int64_t>{4, 8, 9, 5});
  CHECK(marked({4, 5}, {8, 9}, {10}) == std::vector<int64_t>{4, 8, 9, 5, 10, 5});
  Tensor ids = Tensor::from(std::vector<int64_t>{4, 8, 9, 5, 10, 5, 4, 8, 5, 0, 0, 0}, {2, 6});
  CHECK(segment_kinds(ids, 5).to_vector() == std::vector<double>{0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1});
}
