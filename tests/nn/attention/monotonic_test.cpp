// Monotonic attention and MoChA: by hand, as a sum over walks, and as the hard walk that they average.
#include "nn/attention/normalisers/monotonic.h"

#include <cmath>

#include "nn/attention/normalisers/normaliser.h"
#include "tensor/reduce.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

using Rows = std::vector<std::vector<double>>;

std::unique_ptr<nn::Normaliser> normaliser(const std::string& name, nn::SettingValues settings) {
  Generator rng(1);
  settings.emplace("offset", 0);
  auto made = nn::make_normaliser({.name = name, .settings = settings}, rng);
  nn::convert(*made, kF64);
  return made;
}
Tensor scores_of(const Rows& p) {  // whose sigmoid is p: [1, T, S]
  int64_t T = static_cast<int64_t>(p.size()), S = static_cast<int64_t>(p[0].size());
  Tensor e = Tensor::zeros({1, T, S}, kF64);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) {
      double x = p[static_cast<size_t>(t)][static_cast<size_t>(s)];
      e.set({0, t, s}, x == 0 ? -1e3 : x == 1 ? 1e3 : std::log(x / (1 - x)));
    }
  return e;
}
Tensor aligned(const Tensor& e, const std::string& name = "monotonic", const nn::SettingValues& settings = {}) {
  return (*normaliser(name, settings))(e).value();
}
Rows random_stops(uint64_t seed, size_t T, size_t S) {
  Generator rng(seed);
  Rows p(T, std::vector<double>(S));
  for (auto& row : p)
    for (double& x : row) x = rng.uniform();
  return p;
}

// Adds the probability of each walk: query t begins at `from` and stops at some key, or runs off the end.
void walk(const Rows& p, size_t t, size_t from, double chance, Rows& out) {
  if (t == p.size()) return;
  for (size_t s = from; s < p[t].size(); ++s) {
    out[t][s] += chance * p[t][s];
    walk(p, t + 1, s, chance * p[t][s], out);
    chance *= 1 - p[t][s];
  }
}

}  // namespace

// Two rows agree with those worked out by hand, and what is missing from 1 has run off the end.
TEST_CASE("monotonic: two rows by hand, and what is missing to 1 has run off the end" * holds("golden_alignment")) {
  Tensor a = aligned(scores_of({{.3, .6, .8}, {.5, .2, .9}}));
  CHECK(max_abs_difference(a, Tensor::from(std::vector<double>{.3, .42, .224, .15, .114, .612}, {1, 2, 3})) < 1e-12);
  std::vector<double> totals = sum(a, {-1}).to_vector();
  CHECK(totals[0] == doctest::Approx(.944).epsilon(1e-12));
  CHECK(totals[1] == doctest::Approx(.876).epsilon(1e-12));
  // With the offset r, p = sigmoid(e + r).
  Tensor e = random({1, 2, 4}, 1, kF64);
  CHECK(max_abs_difference(aligned(e, "monotonic", {{"offset", -2}}), aligned(sub(e, 2))) < 1e-14);
}

// The alignment is the sum over all walks, listed one by one.
TEST_CASE("monotonic: the alignment is the sum over all walks" * holds("alignment_sums_over_all_walks")) {
  for (uint64_t seed : {1u, 2u, 3u}) {
    Rows p = random_stops(seed, 4, 5), wanted(4, std::vector<double>(5, 0));
    walk(p, 0, 0, 1, wanted);
    Tensor a = aligned(scores_of(p));
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t s = 0; s < 5; ++s)
        CHECK(a.at({0, t, s}) ==
              doctest::Approx(wanted[static_cast<size_t>(t)][static_cast<size_t>(s)]).epsilon(1e-11));
  }
}

// If every stop is certain, the alignment is the hard walk, as evaluation takes it.
TEST_CASE("monotonic: certain stops are the hard walk, and so is evaluation with hard" *
          holds("certain_stops_are_the_hard_walk")) {
  Rows certain{{0, 1, 0, 1}, {1, 0, 0, 1}, {0, 1, 1, 0}, {0, 0, 0, 1}, {1, 1, 1, 0}};
  std::vector<double> wanted{0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK(aligned(scores_of(certain)).to_vector() == wanted);
  for (uint64_t seed = 1; seed < 9; ++seed) {
    Rows p = random_stops(seed, 3, 6);
    auto hard = normaliser("monotonic", {{"hard", 1}});
    CHECK(max_abs_difference((*hard)(scores_of(p)).value(), aligned(scores_of(p))) == 0);  // in training: the mean
    nn::Evaluating evaluating;
    Tensor a = (*hard)(scores_of(p)).value();
    size_t at = 0;
    for (size_t t = 0; t < 3; ++t) {
      while (at < 6 && p[t][at] <= 0.5) ++at;
      for (size_t s = 0; s < 6; ++s) CHECK(a.at({0, int64_t(t), int64_t(s)}) == (s == at ? 1 : 0));
    }
  }
  nn::Evaluating evaluating;
  Tensor scores = Tensor::from(std::vector<double>{-1, INFINITY, 1}, {1, 1, 3});
  CHECK(aligned(scores, "monotonic", {{"hard", 1}}).to_vector() == std::vector<double>{0, 1, 0});
  // One half is not more than one half.
  CHECK(aligned(scores_of({{.5, .75}}), "monotonic", {{"hard", 1}}).to_vector() == std::vector<double>{0, 1});
}

// No walk goes back, and a masked key is passed over.
TEST_CASE("monotonic: no walk goes back, and a masked key is passed" * holds("walks_never_go_back")) {
  Tensor e = random({2, 5, 6}, 4, kF64), a = aligned(e);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t s = 0; s < 6; ++s) {
      double before = 1;  // the probability that the stop is at s or earlier falls from query to query
      for (int64_t t = 0; t < 5; ++t) {
        double reached = sum(a.select(0, b).select(0, t).slice(0, 0, s + 1)).item();
        CHECK(reached <= before + 1e-14);
        before = reached;
      }
    }
  Tensor masked = e.clone(), rest = concat({e.slice(2, 0, 2), e.slice(2, 3, 6)}, 2);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 5; ++t) masked.set({b, t, 2}, -INFINITY);
  Tensor seen = aligned(masked), alone = aligned(rest);
  CHECK(all_zero(seen.select(2, 2)));
  CHECK(max_abs_difference(concat({seen.slice(2, 0, 2), seen.slice(2, 3, 6)}, 2), alone) < 1e-14);
}

// The next query goes on from the walk, not from the weights, and the walk follows its row in a search.
TEST_CASE("monotonic: the walk is kept for the next query, not the weights, and follows its row in a search" *
          holds("the_walk_is_kept_for_the_next_query")) {
  Tensor e = random({2, 2, 6}, 5, kF64);
  for (const char* name : {"monotonic", "mocha"}) {
    CAPTURE(name);
    auto made = normaliser(name, {});
    nn::AlignmentState state;
    nn::StageContext context{.state = &state};
    Tensor first = (*made)(Variable(e.slice(1, 0, 1)), context).value();
    CHECK(max_abs_difference(state.alignment.value().unsqueeze(1), aligned(e.slice(1, 0, 1))) < 1e-15);
    state.keep(Tensor::from(std::vector<int64_t>{1, 1}, {2}));
    Tensor second = (*made)(Variable(e.slice(1, 1, 2)), context).value(), all = aligned(e, name);
    CHECK(max_abs_difference(second.select(0, 1), all.select(0, 1).slice(0, 1, 2)) < 1e-14);
    CHECK(max_abs_difference(second.select(0, 0), all.select(0, 0).slice(0, 1, 2)) > 1e-4);
    CHECK(max_abs_difference(first, all.slice(1, 0, 1)) < 1e-14);
  }
}

TEST_CASE("monotonic: noise is drawn in training, and not in evaluation") {
  auto made = normaliser("monotonic", {{"noise", 1}});
  Tensor e = random({1, 1, 6}, 7, kF64), plain = aligned(e);
  CHECK(max_abs_difference((*made)(e).value(), (*made)(e).value()) > 1e-3);
  nn::Evaluating evaluating;
  CHECK(max_abs_difference((*made)(e).value(), plain) == 0);
}

// With chunks of one word it is monotonic attention: the soft chunk is all that was added.
TEST_CASE("MoChA: chunks of one are monotonic attention" * holds("chunks_of_one_are_monotonic")) {
  Tensor e = random({2, 4, 5}, 6, kF64);
  e.set({0, 1, 2}, -INFINITY);
  CHECK(max_abs_difference(aligned(e, "mocha", {{"chunk", 1}}), aligned(e)) < 1e-15);
  CHECK(max_abs_difference(aligned(e, "mocha", {{"chunk", 2}}), aligned(e)) > 1e-2);
}

// The weights are those of the formula, and after a certain stop a softmax of the last keys.
TEST_CASE("MoChA: chunks by the formula, and after a certain stop a softmax of w keys" *
          holds("chunks_are_their_formula")) {
  constexpr int64_t S = 6, w = 3;
  Tensor e = random({1, 2, S}, 8, kF64), a = aligned(e), b = aligned(e, "mocha", {{"chunk", w}});
  for (int64_t t = 0; t < 2; ++t)
    for (int64_t s = 0; s < S; ++s) {
      double wanted = 0;
      for (int64_t k = s; k < std::min(s + w, S); ++k) {
        double total = 0;
        for (int64_t l = std::max<int64_t>(k - w + 1, 0); l <= k; ++l) total += std::exp(e.at({0, t, l}));
        wanted += a.at({0, t, k}) * std::exp(e.at({0, t, s})) / total;
      }
      CHECK(b.at({0, t, s}) == doctest::Approx(wanted).epsilon(1e-12));
    }
  nn::Evaluating evaluating;
  Tensor hard = aligned(Tensor::from(std::vector<double>{-1, -2, -1, 3, 5}, {1, 1, 5}), "mocha", {{"hard", 1}});
  double share = 1 / (1 + std::exp(-4));  // it stops at key 3 and looks at keys 2 and 3
  CHECK(max_abs_difference(hard, Tensor::from(std::vector<double>{0, 0, 1 - share, share, 0}, {1, 1, 5})) < 1e-12);
}
