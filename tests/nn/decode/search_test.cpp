// Greedy and beam search on models small enough to enumerate.
#include "nn/decode/search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "nn/decode/sampling.h"
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

// The words 4, 5, 6 and 7 with the given probabilities, whatever stood before.
class Fixed final : public SearchModel {
 public:
  explicit Fixed(const std::vector<double>& p) {
    log_p_ = Tensor::full({1, 8}, -INFINITY, DType::f64);
    for (size_t i = 0; i < 4; ++i) log_p_.set({0, 4 + static_cast<int64_t>(i)}, std::log(p[i]));
  }
  int64_t rows() const override { return 1; }
  Tensor next(const Tensor&) override { return log_p_; }
  void keep(const Tensor&) override {}

 private:
  Tensor log_p_;
};

}  // namespace

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
    if (w != Vocabulary::pad && w != Vocabulary::start) allowed += std::exp(probe.probability(0, Vocabulary::start, w));
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

TEST_CASE("top-p keeps the fewest words that reach it, the temperature and top-k before it") {
  const std::vector<double> p{0.15, 0.5, 0.05, 0.3};  // not in their order
  struct Case {
    SampleOptions options;
    std::vector<double> shares;  // of the words 4 to 7
  };
  for (const auto& [options, shares] : std::vector<Case>{
           {{.top_p = 1}, p},
           {{.top_p = 0.45}, {0, 1, 0, 0}},
           {{.top_p = 0.55}, {0, 0.625, 0, 0.375}},
           {{.top_p = 0.9}, {0.15 / 0.95, 0.5 / 0.95, 0, 0.3 / 0.95}},
           {{.temperature = 0.5, .top_p = 0.75}, {0, 0.25 / 0.34, 0, 0.09 / 0.34}},  // squares: 0.68 and 0.25 of all
           {{.top_k = 2, .top_p = 0.6}, {0, 1, 0, 0}},                               // 0.625 of the two
           {{.top_k = 3, .top_p = 0.6}, {0, 0.625, 0, 0.375}}}) {
    SampleOptions o = options;
    o.max_lengths = {1};
    Fixed model(p);
    Generator rng(3);
    std::vector<double> count(8);
    constexpr int n = 4000;
    for (int i = 0; i < n; ++i) ++count[static_cast<size_t>(sample(model, o, rng)[0].tokens.at(0))];
    for (size_t i = 0; i < 4; ++i) {
      CAPTURE(i);
      CHECK(std::abs(count[4 + i] / n - shares[i]) <= 4 * std::sqrt(shares[i] * (1 - shares[i]) / n) + 1e-12);
    }
  }
}

TEST_CASE("padding behind a source is not looked at") {
  // Both sentences look at their own two words alike; a third place is the padding of a longer neighbour.
  struct Padded final : SearchModel {
    explicit Padded(int64_t S_) : S(S_) {}
    int64_t rows() const override { return R; }
    Tensor next(const Tensor& tokens) override {
      R = tokens.size(0);
      return log_softmax_rows(Tensor::from(std::vector<double>{0, 0.3, 0, 1, 2, 0.1}, {1, 6}).expand({R, 6}));
    }
    void keep(const Tensor& rows) override { R = rows.size(0); }
    Tensor weights() const override {
      Tensor w = Tensor::zeros({R, S});
      for (int64_t r = 0; r < R; ++r) w.set({r, 0}, 0.7), w.set({r, 1}, 0.3);
      return w;
    }
    int64_t S, R = 1;
  };
  Padded two(2), four(4), greedy_four(4);
  SearchOptions o{.max_lengths = {4}, .length_penalty = 0.7, .coverage_penalty = 0.3};
  auto exact = beam_search(two, 3, o);
  o.source_lengths = {2};
  auto padded = beam_search(four, 3, o);
  REQUIRE(padded.size() == exact.size());
  for (size_t k = 0; k < exact.size(); ++k) {
    CHECK(padded[k].tokens == exact[k].tokens);
    CHECK(padded[k].score == exact[k].score);
    CHECK(padded[k].weights == exact[k].weights);
  }
  auto written = greedy(greedy_four, o);
  for (const auto& row : written[0].weights) CHECK(row.size() == 2);
}
