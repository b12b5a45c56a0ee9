// Beam search of many sentences at once, beside the plain search of one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/decode/search.h"
#include "nn/models/bahdanau.h"
#include "nn/text/vocabulary.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

using namespace heed;
using namespace heed::nn;
using text::Vocabulary;

namespace {

// Each row a language of its own: log p(next | last word), some of it -inf. Odd seeds: rounded to quarters, so that
// there are ties; even ones: apart by some of the last bits of a float, which a careless rounding takes for ties.
class Languages final : public SearchModel {
 public:
  Languages(int64_t vocabulary, int64_t rows, uint64_t seed, DType dtype) : V_(vocabulary), dtype_(dtype) {
    Generator rng(seed);
    table_ = Tensor::normal({rows, V_, V_}, rng, -2, 1, DType::f64);
    double* p = table_.data<double>();
    for (int64_t i = 0; i < table_.count(); ++i) {
      double quarters = std::min(-0.25, std::round(4 * p[i]) / 4), close = -1.3 + std::ldexp(std::round(8 * p[i]), -23);
      p[i] = p[i] < -3.5 ? -INFINITY : seed % 2 ? quarters : close;
    }
    for (int64_t r = 0; r < rows; ++r) language_.push_back(r);
  }
  int64_t rows() const override { return static_cast<int64_t>(language_.size()); }
  Tensor next(const Tensor& tokens) override {
    asked += rows();
    std::vector<double> out;
    for (int64_t r = 0; r < rows(); ++r) {
      auto last = static_cast<int64_t>(tokens.at({r}));
      const double* row = table_.data<double>() + (language_[static_cast<size_t>(r)] * V_ + last) * V_;
      out.insert(out.end(), row, row + V_);
    }
    return Tensor::from(out, {rows(), V_}).to(dtype_);
  }
  void keep(const Tensor& rows) override {
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < rows.size(0); ++i) kept.push_back(language_.at(static_cast<size_t>(rows.at({i}))));
    language_ = kept;
  }
  int64_t asked = 0;  // rows, summed over steps

 private:
  int64_t V_;
  DType dtype_;
  Tensor table_;
  std::vector<int64_t> language_;
};

// Beam search of one sentence as the textbook has it: all continuations in one list, sorted.
std::vector<Hypothesis> plain_beam(SearchModel& model, int64_t beam, const SearchOptions& o) {
  auto scored = [&](Hypothesis h) {
    h.score = h.log_probability / std::pow((5.0 + static_cast<double>(h.tokens.size())) / 6, o.length_penalty);
    return h;
  };
  auto cut = [&](std::vector<Hypothesis>& list, auto key) {
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) { return key(a) > key(b); });
    if (std::cmp_greater(list.size(), beam)) list.resize(static_cast<size_t>(beam));
  };
  std::vector<Hypothesis> live(1), done;
  for (int64_t step = 0; step <= o.max_lengths[0] && !live.empty(); ++step) {
    std::vector<int64_t> last, kept;
    for (const auto& h : live) last.push_back(h.tokens.empty() ? Vocabulary::start : h.tokens.back());
    Tensor log_p = model.next(Tensor::from(last, {static_cast<int64_t>(last.size())})).to(DType::f64);
    std::vector<Hypothesis> all, next;
    for (size_t r = 0; r < live.size(); ++r)
      for (int64_t w = 0; w < log_p.size(1); ++w) {
        double p = log_p.at({static_cast<int64_t>(r), w});
        if (!std::isfinite(p) || !may_write(w, o) || (step == o.max_lengths[0] && w != Vocabulary::stop)) continue;
        Hypothesis h = live[r];
        h.tokens.push_back(w);
        h.log_probability += p;
        h.weights = {{static_cast<float>(r)}};  // where it came from
        all.push_back(h);
      }
    cut(all, [](const Hypothesis& h) { return h.log_probability; });
    for (Hypothesis& h : all) {
      h.finished = h.tokens.back() == Vocabulary::stop;
      if (h.finished) {
        h.tokens.pop_back();
        done.push_back(scored(h));
      } else {
        kept.push_back(static_cast<int64_t>(h.weights[0][0]));
        next.push_back(h);
      }
    }
    if (next.empty() && done.empty())
      for (const Hypothesis& h : live) done.push_back(scored(h));
    cut(done, [](const Hypothesis& h) { return h.score; });
    live = next;
    double reach = -INFINITY;
    for (const Hypothesis& h : live)
      reach = std::max(
          reach, h.log_probability / std::pow((5.0 + static_cast<double>(o.max_lengths[0])) / 6, o.length_penalty));
    if (std::cmp_equal(done.size(), beam) && reach <= done.back().score) break;
    if (!live.empty()) model.keep(Tensor::from(kept, {static_cast<int64_t>(kept.size())}));
  }
  return done;
}

}  // namespace

TEST_CASE("beam search of many sentences is the plain one, sentence by sentence") {
  // widths beyond the vocabulary too; ties (rounded tables); limits 0 to 9; words that are impossible
  for (uint64_t seed = 1; seed <= 12; ++seed)
    for (int64_t V : {5, 9, 40})
      for (DType dtype : {DType::f32, DType::f64})
        for (int64_t beam : {1, 2, 5, 12}) {
          std::vector<int64_t> limits{9, 0, 4, 7, 1, 9};
          SearchOptions o{.max_lengths = limits, .length_penalty = seed % 4 < 2 ? 0.8 : 0};
          o.allow_unknown = seed % 3 != 0;
          Languages together(V, 6, seed, dtype);
          auto all = beam_search_all(together, beam, o);
          REQUIRE(all.size() == 6);
          for (size_t i = 0; i < 6; ++i) {
            Languages alone(V, 6, seed, dtype), plain(V, 6, seed, dtype);
            alone.keep(Tensor::from(std::vector<int64_t>{static_cast<int64_t>(i)}, {1}));
            plain.keep(Tensor::from(std::vector<int64_t>{static_cast<int64_t>(i)}, {1}));
            SearchOptions own = o;
            own.max_lengths = {limits[i]};
            auto one = beam_search(alone, beam, own), wanted = plain_beam(plain, beam, own);
            REQUIRE(all[i].size() == wanted.size());
            REQUIRE(one.size() == wanted.size());
            REQUIRE(alone.asked == plain.asked);  // both end as soon as nothing can be better
            for (size_t k = 0; k < wanted.size(); ++k)
              for (const Hypothesis& h : {all[i][k], one[k]}) {
                REQUIRE(h.tokens == wanted[k].tokens);
                REQUIRE(h.log_probability == wanted[k].log_probability);
                REQUIRE(h.score == wanted[k].score);
                REQUIRE(h.finished == wanted[k].finished);
              }
          }
        }
}

TEST_CASE("beam search: sentences that have ended leave the model") {
  Languages model(9, 6, 2, DType::f32);
  beam_search_all(model, 4, {.max_lengths = {2, 2, 2, 2, 2, 20}, .length_penalty = 0});
  CHECK(model.asked > 0);
  CHECK(model.asked <= 3 * 24 + 18 * 4);  // rows times steps; 21 * 24 if none left
}

TEST_CASE("beam search: a model that never ends gives what it has, and one that says nothing an empty sentence") {
  struct Endless final : SearchModel {
    explicit Endless(bool mute_) : mute(mute_) {}
    int64_t rows() const override { return R; }
    Tensor next(const Tensor& tokens) override {
      R = tokens.size(0);
      Tensor out = Tensor::full({R, 6}, mute ? -INFINITY : std::log(0.5), DType::f64);
      for (int64_t r = 0; r < R; ++r) out.set({r, Vocabulary::stop}, -INFINITY);
      return out;
    }
    void keep(const Tensor& rows) override { R = rows.size(0); }
    bool mute;
    int64_t R = 2;
  };
  Endless model(false);
  for (auto& found : beam_search_all(model, 3, {.max_lengths = {3, 5}, .length_penalty = 0})) {
    REQUIRE(found.size() == 3);
    CHECK_FALSE(found[0].finished);
    CHECK(found[0].log_probability == doctest::Approx(static_cast<double>(found[0].tokens.size()) * std::log(0.5)));
  }
  Endless mute(true);
  auto found = beam_search_all(mute, 3, {.max_lengths = {3, 5}});
  REQUIRE(found[1].size() == 1);
  CHECK(found[1][0].tokens.empty());
}

TEST_CASE("beam search: a model with padded sources gives each sentence what it gives it alone") {
  for (const char* score : {"additive", "general"}) {
    Generator rng(4);
    Bahdanau::Options o{.source = {11, 6}, .target = {40, 6}, .encoder = {.hidden = 8}, .decoder = {.hidden = 8}};
    o.attention.score.name = score;
    Bahdanau model(o, rng);
    set_training(model, false);
    std::vector<int64_t> lengths{5, 2, 4, 1, 5}, words;
    for (size_t b = 0; b < 5; ++b)
      for (int64_t s = 0; s < 5; ++s) words.push_back(s >= lengths[b] ? 0 : s + 1 == lengths[b] ? 3 : 4 + rng.below(7));
    Tensor source = Tensor::from(words, {5, 5});
    SearchOptions all{.coverage_penalty = 0.1};
    for (int64_t n : lengths) all.max_lengths.push_back(n + 6), all.source_lengths.push_back(n);
    auto together = beam_search_all(*model.search(source, Tensor::from(lengths, {5})), 4, all);
    for (int64_t b = 0; b < 5; ++b) {
      int64_t n = lengths[static_cast<size_t>(b)];
      Tensor row = source.slice(0, b, b + 1).slice(1, 0, n).contiguous();
      auto alone = beam_search(*model.search(row, Tensor::from(std::vector<int64_t>{n}, {1})), 4,
                               {.max_lengths = {n + 6}, .coverage_penalty = 0.1});
      const auto& found = together[static_cast<size_t>(b)];
      REQUIRE(found.size() == alone.size());
      for (size_t k = 0; k < alone.size(); ++k) {
        CHECK(found[k].tokens == alone[k].tokens);
        CHECK(found[k].score == doctest::Approx(alone[k].score).epsilon(1e-5));
        REQUIRE(found[k].weights.size() == alone[k].weights.size());
        for (size_t t = 0; t < alone[k].weights.size(); ++t)
          for (size_t j = 0; j < static_cast<size_t>(n); ++j)
            CHECK(found[k].weights[t][j] == doctest::Approx(alone[k].weights[t][j]).epsilon(1e-4));
      }
    }
  }
}
