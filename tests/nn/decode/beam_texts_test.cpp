// Beam search with texts, beside a list of all sentences: each text once, with the best score of those that write it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "nn/decode/search.h"
#include "nn/text/vocabulary.h"

using namespace heed;
using namespace heed::nn;
using text::Vocabulary;

namespace {

const std::vector<std::string> kPieces{"", "?", "", "", "a", "b", "ab", "ba"};
const auto kV = static_cast<int64_t>(kPieces.size());

std::string joined(size_t, const Hypothesis& h) {
  std::string text;
  for (int64_t word : h.tokens) text += kPieces[static_cast<size_t>(word)];
  return text;
}

// log p(next | last word), the same for all rows.
class Speller final : public SearchModel {
 public:
  Speller(int64_t rows, uint64_t seed) : rows_(rows) {
    Generator rng(seed);
    table = Tensor::normal({kV, kV}, rng, -2, 1, DType::f64);
    for (int64_t i = 0; i < table.count(); ++i) table.data<double>()[i] = std::min(table.data<double>()[i], -0.1);
  }
  int64_t rows() const override { return rows_; }
  Tensor next(const Tensor& tokens) override {
    ++steps;
    std::vector<double> out;
    for (int64_t r = 0; r < rows_; ++r) {
      const double* row = table.data<double>() + static_cast<int64_t>(tokens.at({r})) * kV;
      out.insert(out.end(), row, row + kV);
    }
    return Tensor::from(out, {rows_, kV});
  }
  void keep(const Tensor& rows) override { rows_ = rows.size(0); }
  Tensor table;
  int64_t steps = 0;

 private:
  int64_t rows_;
};

// The best score of every text that has at most `limit` pieces.
void spell(const Speller& m, const SearchOptions& o, int64_t limit, Hypothesis& h,
           std::map<std::string, double>& best) {
  const int64_t last = h.tokens.empty() ? Vocabulary::start : h.tokens.back();
  const double words = static_cast<double>(h.tokens.size());
  const double score =
      (h.log_probability + m.table.at({last, Vocabulary::stop})) / std::pow((5 + words) / 6, o.length_penalty);
  auto [entry, inserted] = best.emplace(joined(0, h), score);
  entry->second = std::max(entry->second, score);
  if (std::ssize(h.tokens) == limit) return;
  for (int64_t w = Vocabulary::specials; w < kV; ++w) {
    const double before = h.log_probability;
    h.tokens.push_back(w), h.log_probability += m.table.at({last, w});
    spell(m, o, limit, h, best);
    h.tokens.pop_back(), h.log_probability = before;
  }
}

std::map<std::string, double> spelled(const Speller& m, const SearchOptions& o, int64_t limit) {
  std::map<std::string, double> best;
  Hypothesis none;
  spell(m, o, limit, none, best);
  return best;
}

}  // namespace

TEST_CASE("beam search with texts: a beam that holds all sentences finds all texts, each with its best score") {
  for (uint64_t seed = 1; seed <= 6; ++seed)
    for (int64_t groups : {1, 2}) {
      Speller model(2, seed);
      SearchOptions o{.max_lengths = {3, 4}, .length_penalty = seed % 2 ? 0.8 : 0, .allow_unknown = false};
      o.text = joined, o.groups = groups;
      auto found = beam_search_all(model, 400 * groups, o);
      for (size_t row = 0; row < 2; ++row) {
        const auto wanted = spelled(model, o, o.max_lengths[row]);
        REQUIRE(found[row].size() == wanted.size());
        for (const Hypothesis& h : found[row])
          REQUIRE(h.score == doctest::Approx(wanted.at(joined(row, h))).epsilon(1e-12));
      }
    }
}

TEST_CASE("beam search with texts: a narrow beam goes on until it has as many as are wanted, or to the end") {
  int64_t lists = 0, full = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed)
    for (int64_t beam : {2, 3, 6})
      for (int64_t groups : {int64_t{1}, beam / 2, beam}) {
        if (groups < 1 || beam % groups != 0) continue;
        const int64_t limit = 7;
        SearchOptions o{.max_lengths = {limit}, .length_penalty = seed % 2 ? 1.0 : 0.0, .allow_unknown = false};
        o.text = joined, o.groups = groups;
        Speller model(1, seed);
        const auto best = spelled(model, o, 4);
        const auto all = beam_search(model, beam, o);
        std::set<std::string> texts;
        for (const Hypothesis& h : all) {
          texts.insert(joined(0, h));
          if (auto known = best.find(joined(0, h)); known != best.end() && h.tokens.size() <= 4)
            CHECK(h.score <= known->second + 1e-12);
        }
        CHECK(texts.size() == all.size());
        CHECK((std::ssize(all) == beam || model.steps == limit + 1));
        ++lists, full += std::ssize(all) == beam;
        for (int64_t wanted = 1; wanted <= beam; ++wanted) {
          Speller again(1, seed);
          o.wanted = wanted;
          const auto some = beam_search(again, beam, o);
          REQUIRE(some.size() == std::min(all.size(), static_cast<size_t>(wanted)));
          for (size_t k = 0; k < some.size(); ++k) CHECK(some[k].tokens == all[k].tokens);
          CHECK(again.steps <= model.steps);
        }
      }
  CHECK(full > lists * 8 / 10);
}

TEST_CASE("beam search: fewer hypotheses are wanted than the beam has: the same ones, in fewer steps") {
  int64_t steps = 0, fewer = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Speller whole(1, seed), first(1, seed);
    SearchOptions o{.max_lengths = {30}, .length_penalty = 0.6};
    const auto all = beam_search(whole, 5, o);
    o.wanted = 1;
    const auto one = beam_search(first, 5, o);
    REQUIRE(one.size() == 1);
    CHECK(one[0].tokens == all[0].tokens);
    steps += whole.steps, fewer += first.steps;
  }
  CHECK(fewer < steps);
}
