// Constraints, diverse beams and ensembles, on languages small enough to enumerate.
#include "nn/decode/constraints.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "nn/decode/ensemble.h"
#include "nn/decode/sampling.h"
#include "nn/text/vocabulary.h"
#include "tensor/reduce.h"

using namespace heed;
using namespace heed::nn;
using text::Vocabulary;

namespace {

using Words = std::vector<int64_t>;
constexpr int64_t kV = 8, kLimit = 5;  // four words

// log p(next | last word), from a random table; each row may have its own.
class Bigrams final : public SearchModel {
 public:
  Bigrams(int64_t rows, uint64_t seed, double spread = 1.5) : seed_(seed) {
    for (int64_t r = 0; r < rows; ++r) {
      Generator rng(seed, static_cast<uint64_t>(1000 * r));
      tables_.push_back(log_softmax_rows(Tensor::normal({kV, kV}, rng, 0, spread, DType::f64)));
      language_.push_back(r);
    }
  }
  int64_t rows() const override { return std::ssize(language_); }
  Tensor next(const Tensor& tokens) override {
    Tensor out = Tensor::empty({rows(), kV}, DType::f64);
    for (int64_t r = 0; r < rows(); ++r)
      for (int64_t w = 0; w < kV; ++w)
        out.set({r, w}, log_p(language_[static_cast<size_t>(r)], static_cast<int64_t>(tokens.at({r})), w));
    return out;
  }
  void keep(const Tensor& rows) override {
    Words kept;
    for (int64_t i = 0; i < rows.size(0); ++i) kept.push_back(language_.at(static_cast<size_t>(rows.at({i}))));
    language_ = kept;
  }
  Tensor weights() const override { return Tensor::full({rows(), 2}, static_cast<double>(seed_)); }
  double log_p(int64_t language, int64_t last, int64_t word) const {
    return tables_[static_cast<size_t>(language)].at({last, word});
  }

 private:
  uint64_t seed_;
  std::vector<Tensor> tables_;
  Words language_;
};

bool repeats(const Words& words, int64_t n) {
  std::set<Words> seen;
  for (auto begin = words.begin(); words.end() - begin >= n; ++begin)
    if (!seen.insert({begin, begin + n}).second) return true;
  return false;
}

bool keeps(const Words& words, const Constraints& c, size_t row) {
  if (std::ssize(words) < c.min_length || (c.no_repeat_ngram > 0 && repeats(words, c.no_repeat_ngram))) return false;
  if (c.prefixes.empty()) return true;
  const Words& prefix = c.prefixes[row];
  return words.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), words.begin());
}

// The likeliest of all sentences that keep the constraints.
void best_of_all(const Bigrams& m, const Constraints& c, int64_t row, Words& words, double so_far, double& best,
                 Words& which) {
  const int64_t last = words.empty() ? Vocabulary::start : words.back();
  const double ended = so_far + m.log_p(row, last, Vocabulary::stop);
  if (keeps(words, c, static_cast<size_t>(row)) && ended > best) best = ended, which = words;
  if (std::ssize(words) == kLimit) return;
  for (int64_t w = Vocabulary::specials; w < kV; ++w) {
    words.push_back(w);
    best_of_all(m, c, row, words, so_far + m.log_p(row, last, w), best, which);
    words.pop_back();
  }
}

SearchOptions with(const Constraints& c, int64_t rows) {
  return {.max_lengths = Words(static_cast<size_t>(rows), kLimit),
          .length_penalty = 0,
          .allow_unknown = false,
          .constraints = c};
}

}  // namespace

TEST_CASE("constraints: a wide beam finds the likeliest sentence that keeps them") {
  const std::vector<Constraints> all{{.min_length = 3},
                                     {.min_length = 5},
                                     {.min_length = 2, .no_repeat_ngram = 1},
                                     {.min_length = 4, .no_repeat_ngram = 2},
                                     {.prefixes = {{5, 5}, {}, {7}}},
                                     {.min_length = 4, .no_repeat_ngram = 2, .prefixes = {{4}, {6, 6}, {}}}};
  int moved = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    for (const Constraints& c : all) {
      Bigrams model(3, seed), plain(3, seed);
      auto found = beam_search_all(model, 1500, with(c, 3));
      auto free = beam_search_all(plain, 1500, with({}, 3));
      for (int64_t row = 0; row < 3; ++row) {
        Words words, which;
        double best = -INFINITY;
        Bigrams language(3, seed);
        best_of_all(language, c, row, words, 0, best, which);
        const Hypothesis& h = found[static_cast<size_t>(row)].front();
        CHECK(h.tokens == which);
        CHECK(h.log_probability == doctest::Approx(best));
        moved += h.tokens != free[static_cast<size_t>(row)].front().tokens;
        for (const Hypothesis& one : found[static_cast<size_t>(row)])
          CHECK(keeps(one.tokens, c, static_cast<size_t>(row)));
      }
    }
  CHECK(moved > 30);  // of 72: without a constraint another sentence is the likeliest
}

TEST_CASE("constraints: greedy search, sampling and a narrow beam keep them, with the model's own log p") {
  const Constraints c{.min_length = 4, .no_repeat_ngram = 2, .prefixes = {{5}, {5, 6, 5}}};
  for (double spread : {1.5, 15.0})  // of log p: what is allowed may be most improbable
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      Bigrams a(2, seed, spread), b(2, seed, spread), sampled(2, seed, spread);
      Generator rng(seed);
      auto greedy_found = greedy(a, with(c, 2));
      auto drawn = sample(sampled, {.max_lengths = {kLimit, kLimit}, .allow_unknown = false, .constraints = c}, rng);
      auto beam = beam_search_all(b, 3, with(c, 2));
      for (size_t row = 0; row < 2; ++row)
        for (const Hypothesis& h : {greedy_found[row], drawn[row], beam[row].front()}) {
          CHECK_FALSE(repeats(h.tokens, 2));
          REQUIRE(h.tokens.size() >= c.prefixes[row].size());
          CHECK(std::equal(c.prefixes[row].begin(), c.prefixes[row].end(), h.tokens.begin()));
          if (h.finished) CHECK(h.tokens.size() >= 4);
          double log_p = 0;
          int64_t last = Vocabulary::start;
          Words words = h.tokens;
          if (h.finished) words.push_back(Vocabulary::stop);
          for (int64_t w : words) log_p += a.log_p(static_cast<int64_t>(row), last, w), last = w;
          CHECK(h.log_probability == doctest::Approx(log_p));
        }
    }
}

TEST_CASE("constraints: at the length limit no search writes a </s> that is forbidden") {
  for (const Constraints& c : {Constraints{.min_length = kLimit + 1}, Constraints{.prefixes = {Words(kLimit + 2, 5)}}})
    for (int64_t beam : {1, 3}) {
      Bigrams a(1, 1), b(1, 1);
      for (const Hypothesis& h : beam_search(a, beam, with(c, 1))) {
        CHECK_FALSE(h.finished);  // cut off, as by greedy search
        CHECK(std::ssize(h.tokens) == kLimit);
        if (beam == 1) CHECK(h.tokens == greedy(b, with(c, 1))[0].tokens);
      }
    }
}

TEST_CASE("diverse beam search: groups of one beam are beams of their own, and avoid each other's words") {
  CHECK(SearchOptions{}.diversity == 0.5);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SearchOptions o = with({}, 2);
    Bigrams plain(2, seed), alike(2, seed), apart(2, seed), narrow(2, seed);
    o.groups = 3, o.diversity = 0;
    auto same = beam_search_all(alike, 6, o);  // three times the same beam of two
    o.groups = 1;
    auto two = beam_search_all(narrow, 2, o);
    o.groups = 3, o.diversity = 50;
    auto different = beam_search_all(apart, 3, o);  // three beams of one word each
    for (size_t row = 0; row < 2; ++row) {
      REQUIRE(same[row].size() == two[row].size());
      for (size_t k = 0; k < two[row].size(); ++k) CHECK(same[row][k].tokens == two[row][k].tokens);
      std::set<int64_t> first;
      for (const Hypothesis& h : different[row]) first.insert(h.tokens.empty() ? Vocabulary::stop : h.tokens[0]);
      CHECK(first.size() == 3);
      CHECK(std::is_sorted(different[row].begin(), different[row].end(),
                           [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }));
    }
  }
}

TEST_CASE("ensemble: the mean of the probabilities; of equal models the model itself") {
  auto ensemble_of = [](const std::vector<uint64_t>& seeds) {
    std::vector<std::unique_ptr<SearchModel>> models;
    for (uint64_t seed : seeds) models.push_back(std::make_unique<Bigrams>(2, seed));
    return Ensemble(std::move(models));
  };
  Ensemble two = ensemble_of({1, 2}), twice = ensemble_of({3, 3});
  Bigrams a(2, 1), b(2, 2), c(2, 3);
  Tensor words = Tensor::from(Words{5, 6}, {2});
  Tensor answer = two.next(words), p = a.next(words), q = b.next(words);
  for (int64_t r = 0; r < 2; ++r)
    for (int64_t w = 0; w < kV; ++w)
      CHECK(answer.at({r, w}) ==
            doctest::Approx(std::log((std::exp(p.at({r, w})) + std::exp(q.at({r, w}))) / 2)).epsilon(1e-12));
  CHECK(two.weights().to_vector() == std::vector<double>(4, 1.5));
  CHECK(twice.rows() == 2);
  auto found = beam_search_all(twice, 4, with({}, 2)), alone = beam_search_all(c, 4, with({}, 2));
  for (size_t row = 0; row < 2; ++row) {
    REQUIRE(found[row].size() == alone[row].size());
    for (size_t k = 0; k < alone[row].size(); ++k) {
      CHECK(found[row][k].tokens == alone[row][k].tokens);
      CHECK(found[row][k].log_probability == doctest::Approx(alone[row][k].log_probability));
    }
  }
}
