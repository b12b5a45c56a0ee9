// Greedy and beam search on models small enough to enumerate.
#include "nn/decode/search.h"

#include "nn/decode/sampling.h"

#include <doctest/doctest.h>

#include <cmath>

#include "nn/text/vocabulary.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

using namespace heed;
using namespace heed::nn;
using text::Vocabulary;

namespace {

// log p(next | last two words), from a random table: a language whose best sentence greedy search often misses.
class TableModel final : public SearchModel {
 public:
  TableModel(int64_t vocabulary, int64_t rows, uint64_t seed) : V_(vocabulary) {
    Generator rng(seed);
    table_ = log_softmax_rows(Tensor::normal({V_, V_, V_}, rng, 0, 1.5, DType::f64));
    before_ = Tensor::zeros({rows}, DType::i64);
  }
  int64_t rows() const override { return before_.size(0); }
  Tensor next(const Tensor& tokens) override {
    int64_t R = tokens.size(0);
    Tensor out = Tensor::empty({R, V_}, DType::f64);
    for (int64_t r = 0; r < R; ++r)
      for (int64_t w = 0; w < V_; ++w)
        out.set({r, w}, probability(static_cast<int64_t>(before_.at({r})), static_cast<int64_t>(tokens.at({r})), w));
    before_ = tokens.clone();
    ++steps;
    return out;
  }
  void keep(const Tensor& rows) override { before_ = index_select(before_, rows); }
  double probability(int64_t before, int64_t last, int64_t word) const { return table_.at({before, last, word}); }
  int steps = 0;

 private:
  int64_t V_;
  Tensor table_, before_;
};

// The best of all sentences of at most `limit` words, by log-probability.
struct Enumerated {
  std::vector<int64_t> tokens;
  double log_probability = -INFINITY;
};
void enumerate(const TableModel& m, int64_t V, int64_t limit, std::vector<int64_t>& prefix, double so_far,
               Enumerated& best) {
  int64_t last = prefix.empty() ? Vocabulary::start : prefix.back();
  int64_t before = prefix.empty() ? 0 : prefix.size() == 1 ? Vocabulary::start : prefix[prefix.size() - 2];
  double ended = so_far + m.probability(before, last, Vocabulary::stop);
  if (ended > best.log_probability) best = {prefix, ended};
  if (static_cast<int64_t>(prefix.size()) == limit) return;
  for (int64_t w = 0; w < V; ++w) {
    if (w == Vocabulary::pad || w == Vocabulary::start || w == Vocabulary::stop) continue;
    prefix.push_back(w);
    enumerate(m, V, limit, prefix, so_far + m.probability(before, last, w), best);
    prefix.pop_back();
  }
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a beam as wide as all sentences finds the likeliest one") {
    constexpr int64_t V = 7, limit = 3;  // 4 words that may be written, 3 long: 1 + 4 + 16 + 64 sentences
    int greedy_misses = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      TableModel model(V, 1, seed);
      Enumerated best;
      std::vector<int64_t> prefix;
      enumerate(model, V, limit, prefix, 0, best);
      auto found = beam_search(model, 64, {.max_lengths = {limit}, .length_penalty = 0});
      CHECK(found[0].tokens == best.tokens);
      CHECK(found[0].log_probability == doctest::Approx(best.log_probability).epsilon(1e-12));
      CHECK(found[0].finished);
      TableModel again(V, 1, seed);
      greedy_misses += greedy(again, {.max_lengths = {limit}})[0].tokens != best.tokens;
    }
    CHECK(greedy_misses > 0);  // the control: on this language the greedy choice is not always the best sentence
  }

  TEST_CASE("a beam of one is greedy search") {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      TableModel a(8, 1, seed), b(8, 1, seed);
      auto g = greedy(a, {.max_lengths = {12}})[0];
      auto h = beam_search(b, 1, {.max_lengths = {12}, .length_penalty = 0})[0];
      if (!g.finished) continue;  // cut off: the beam ends such a sentence with </s>, greedy leaves it open
      CHECK(g.tokens == h.tokens);
      CHECK(g.log_probability == doctest::Approx(h.log_probability).epsilon(1e-12));
    }
  }

  TEST_CASE("greedy: many rows give what each gives alone, and each has its own limit") {
    TableModel together(9, 3, 5);
    auto all = greedy(together, {.max_lengths = {2, 7, 30}});
    std::vector<int64_t> limits{2, 7, 30};
    for (size_t r = 0; r < 3; ++r) {
      TableModel alone(9, 1, 5);
      auto one = greedy(alone, {.max_lengths = {limits[r]}})[0];
      CHECK(one.tokens == all[r].tokens);
      CHECK(one.finished == all[r].finished);
      CHECK(static_cast<int64_t>(all[r].tokens.size()) <= limits[r]);
    }
  }

  TEST_CASE("neither search writes <pad> or <s>, nor <unk> where it is not allowed") {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      TableModel a(5, 1, seed), b(5, 1, seed);
      for (auto& h : {greedy(a, {.max_lengths = {20}, .allow_unknown = false})[0],
                      beam_search(b, 4, {.max_lengths = {20}, .allow_unknown = false})[0]})
        for (int64_t t : h.tokens) CHECK(t >= Vocabulary::specials);
    }
  }

  TEST_CASE("the score divides by ((5 + words) / 6)^alpha") {
    TableModel model(8, 1, 3);
    for (auto& h : beam_search(model, 5, {.max_lengths = {10}, .length_penalty = 0.6}))
      CHECK(h.score ==
            doctest::Approx(h.log_probability / std::pow((5.0 + static_cast<double>(h.tokens.size())) / 6, 0.6)));
  }

  TEST_CASE("the coverage penalty counts the source words that nothing looked at") {
    // A model that attends to one of two source words, whatever it writes.
    struct OneEyed final : SearchModel {
      explicit OneEyed(float share_) : share(share_) {}
      int64_t rows() const override { return R; }
      Tensor next(const Tensor& tokens) override {
        R = tokens.size(0);
        return log_softmax_rows(Tensor::zeros({R, 6}, DType::f64));
      }
      void keep(const Tensor& rows) override { R = rows.size(0); }
      Tensor weights() const override {
        return Tensor::from(std::vector<float>{share, 1 - share}, {1, 2}).expand({R, 2});
      }
      float share;
      int64_t R = 1;
    };
    SearchOptions options{.max_lengths = {3}, .length_penalty = 0, .coverage_penalty = 0.2};
    for (float share : {0.5f, 0.9f, 1.0f}) {
      OneEyed model(share);
      for (auto& h : beam_search(model, 4, options)) {
        double steps = static_cast<double>(h.weights.size()), seen = 0;
        for (double w : {double{share}, 1 - double{share}}) seen += std::log(std::min(1.0, std::max(steps * w, 1e-12)));
        CHECK(h.score == doctest::Approx(h.log_probability + 0.2 * seen).epsilon(1e-6));
      }
    }
  }

  TEST_CASE("sampling draws each word as often as the model says, cold it is greedy, and rows do not mind each other") {
    TableModel probe(7, 1, 3);
    std::vector<double> count(7);
    Generator rng(11);
    constexpr int n = 20000;
    {
      TableModel rows(7, n, 3);
      for (auto& h : sample(rows, {.max_lengths = std::vector<int64_t>(n, 1)}, rng))
        count[h.tokens.empty() ? Vocabulary::stop : static_cast<size_t>(h.tokens[0])] += 1;
    }
    double allowed = 0;  // <pad> and <s> are never written
    for (int64_t w = 0; w < 7; ++w)
      if (w != Vocabulary::pad && w != Vocabulary::start)
        allowed += std::exp(probe.probability(0, Vocabulary::start, w));
    for (int64_t w = 0; w < 7; ++w) {
      bool may = w != Vocabulary::pad && w != Vocabulary::start;
      double p = may ? std::exp(probe.probability(0, Vocabulary::start, w)) / allowed : 0;
      CHECK(std::abs(count[static_cast<size_t>(w)] / n - p) <= 4 * std::sqrt(p * (1 - p) / n) + 1e-12);
    }
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      TableModel a(8, 1, seed), b(8, 1, seed), c(8, 1, seed);
      auto best = greedy(a, {.max_lengths = {12}})[0].tokens;
      CHECK(sample(b, {.max_lengths = {12}, .temperature = 1e-3}, rng)[0].tokens == best);
      CHECK(sample(c, {.max_lengths = {12}, .temperature = 5, .top_k = 1}, rng)[0].tokens == best);
    }
    TableModel many(8, 3, 4), one(8, 1, 4);
    Generator first(6), again(6);
    auto all = sample(many, {.max_lengths = {9, 9, 9}}, first);
    CHECK(sample(one, {.max_lengths = {9}}, again)[0].tokens == all[0].tokens);
    CHECK((all[0].tokens != all[1].tokens || all[1].tokens != all[2].tokens));
  }

  TEST_CASE("a beam must be positive, and takes one sentence") {
    TableModel one(5, 1, 1), two(5, 2, 1);
    CHECK_THROWS_WITH_AS(beam_search(one, 0), "beam_search: needs a beam of at least 1; got 0", ValueError);
    CHECK_THROWS_WITH_AS(beam_search(two, 2), "beam_search: takes one sentence; got 2", ValueError);
  }
}
