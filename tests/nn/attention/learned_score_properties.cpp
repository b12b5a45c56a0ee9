// Properties of the scores A10 to A17, whose parameters are more than a matrix between query and key: what they hold
// beyond the properties of all scores.
#include <cmath>

#include "nn/attention/attention.h"
#include "nn/attention/scores/additive.h"
#include "nn/attention/scores/biaffine.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/scores/gat.h"
#include "nn/attention/scores/gatv2.h"
#include "nn/attention/scores/gaussian.h"
#include "nn/attention/scores/gaussian_mixture.h"
#include "nn/attention/scores/general.h"
#include "nn/attention/scores/normed_additive.h"
#include "nn/attention/scores/synthesizer_dense.h"
#include "nn/attention/scores/synthesizer_random.h"
#include "nn/attention/scores/trilinear.h"
#include "tensor/indexing.h"
#include "tests/nn/attention/normalised.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

Variable queries(int64_t width = kWidth) { return random({2, 3, width}, 1, kF64); }
Variable keys(int64_t width = kWidth) { return random({2, 5, width}, 2, kF64); }
Tensor scores(const nn::Score& score, const Variable& q, const Variable& k) {
  return score(q, score.prepare(k)).value();
}
// By its text, gaussian:0.5, with queries and keys of these widths.
template <class S>
S built(const std::string& text, int64_t query = kWidth, int64_t key = kWidth, int64_t heads = 1) {
  nn::ScoreOptions options = nn::stage_from(nn::Kind::score, text);
  options.query = query, options.key = key, options.heads = heads;
  Generator rng(3);
  S score(options, rng);
  nn::convert(score, kF64);
  return score;
}
bool close(const Tensor& a, const Tensor& b, double tol = 1e-12) { return relative_error(a, b) <= tol; }
Tensor dots(const Variable& q, const Variable& k) { return matmul(q, transpose(k, -2, -1)).value(); }

// --- A10 ---

// The score is the logarithm of a sum of Gaussian windows, as loops compute it; used as weights, its rows do not
// sum to 1.
PROPERTY(a_window_is_its_formula) {
  auto mixture = built<nn::GaussianMixtureScore>("gaussian_mixture:3");
  nn::AlignmentState state;
  nn::StageContext context{.state = &state};
  double kappa[2][3] = {};
  for (int64_t t = 0; t < 3; ++t) {
    Variable q = slice(queries(), 1, t, t + 1);
    Tensor raw = mixture.window(q).value(), a = exp(mixture(q, keys(), context)).value();
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t m = 0; m < 3; ++m) kappa[b][m] += std::exp(raw.at({b, 0, 6 + m}));
      for (int64_t s = 1; s <= 5; ++s) {
        double wanted = 0;
        for (int64_t m = 0; m < 3; ++m)
          wanted += std::exp(raw.at({b, 0, m})) *
                    std::exp(-std::exp(raw.at({b, 0, 3 + m})) * std::pow(kappa[b][m] - static_cast<double>(s), 2));
        CHECK(a.at({b, 0, s - 1}) == doctest::Approx(wanted).epsilon(1e-12));
      }
    }
  }
  // As the weights themselves, by the exponential normaliser, they do not sum to 1.
  nn::AttentionOptions o{.score = nn::stage_from(nn::Kind::score, "gaussian_mixture:3"),
                         .normaliser = {.name = "exponential"}};
  o.score.query = o.score.key = kWidth;
  nn::Attention attention = make<nn::Attention>(o, 3);
  nn::convert(attention, kF64);
  Tensor w = attention(queries(), attention.remember(keys(), keys())).weights.value();
  CHECK(close(log(w), mixture(queries(), keys()).value()));
  CHECK(std::abs(sum(w).item() - 6) > 0.1);
}

// With one component of constant width the window moves to later words with every query.
PROPERTY(the_window_only_moves_forward) {
  auto mixture = built<nn::GaussianMixtureScore>("gaussian_mixture:1");
  Tensor w = mixture.window.weight.value().clone();
  for (int64_t i = 0; i < kWidth; ++i) w.set({1, i}, 0);
  mixture.window.weight.set_value(w);
  nn::AlignmentState state;
  nn::StageContext context{.state = &state};
  double kappa = 0, centre = 0;
  for (int64_t t = 0; t < 8; ++t) {
    Tensor a = softmax(mixture(leaf({1, 1, kWidth}, 50 + static_cast<uint64_t>(t), kF64),
                               random({1, 30, kWidth}, 2, kF64), context))
                   .value();
    double here = 0, at = state.carried.value().item();
    for (int64_t s = 0; s < 30; ++s) here += static_cast<double>(s + 1) * a.at({0, 0, s});
    CHECK(at > kappa);
    CHECK(here > centre);
    kappa = at, centre = here;
  }
}

// One query after the other, with the state of those before, gives what all give at once, in a beam search too.
PROPERTY(kappa_is_carried) {
  auto mixture = built<nn::GaussianMixtureScore>("gaussian_mixture:3");
  nn::AlignmentState state;
  nn::StageContext context{.state = &state};
  Tensor parallel = mixture(queries(), keys()).value();
  for (int64_t t = 0; t < 3; ++t)
    CHECK(close(mixture(slice(queries(), 1, t, t + 1), keys(), context).value(), parallel.slice(1, t, t + 1)));
  Tensor before = state.carried.value();
  state.keep(Tensor::from(std::vector<int64_t>{1, 1}, {2}));
  CHECK(bit_equal(state.carried.value().select(0, 0), before.select(0, 1)));
}

// --- A11 to A13 ---

nn::GaussianScore half_wide() {  // s = 0.5, not rounded to f32
  auto gaussian = built<nn::GaussianScore>("gaussian:0.5");
  CHECK(gaussian.log_bandwidth.item() == doctest::Approx(std::log(.5)).epsilon(1e-7));
  gaussian.log_bandwidth.set_value(Tensor::scalar(std::log(.5), kF64));
  return gaussian;
}

// After the softmax it is the dot product minus half the squared length of the key: the length of the query cancels.
PROPERTY(is_a_dot_less_half_the_square) {
  nn::GaussianScore gaussian = half_wide();
  Tensor e = scores(gaussian, queries(), keys());
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t s = 0; s < 5; ++s) {
      double distance = 0;
      for (int64_t w = 0; w < kWidth; ++w)
        distance += std::pow(queries().value().at({1, t, w}) - keys().value().at({1, s, w}), 2);
      CHECK(e.at({1, t, s}) == doctest::Approx(-distance / (2 * .25)).epsilon(1e-12));
    }
  Variable half = transpose(sum(square(keys()), {-1}, true), -2, -1) * 0.5;
  CHECK(close(softmax(Variable(e)).value(), softmax((Variable(dots(queries(), keys())) - half) * 4).value()));
}

// For keys of equal length it is dot-product attention with a temperature.
PROPERTY(unit_keys_are_a_dot) {
  nn::GaussianScore gaussian = half_wide();
  Variable unit = keys() / sqrt(sum(square(keys()), {-1}, true));
  Variable warm(dots(queries(), unit));
  CHECK(close(softmax(Variable(scores(gaussian, queries(), unit))).value(), softmax(warm * 4).value()));
}

// A narrow kernel reads the nearest key alone, and a very wide one reads all keys alike.
PROPERTY(a_narrow_kernel_reads_the_nearest) {
  auto narrow = built<nn::GaussianScore>("gaussian:0.01"), wide = built<nn::GaussianScore>("gaussian:1000");
  Variable near = keys() + 0.01;
  Tensor w = softmax(Variable(scores(narrow, near, keys()))).value();
  for (int64_t s = 0; s < 5; ++s) CHECK(w.at({0, s, s}) > 1 - 1e-9);
  CHECK(max_abs_difference(softmax(Variable(scores(wide, queries(), keys()))).value(),
                           Tensor::full({2, 3, 5}, .2, kF64)) < 1e-4);
}

// The score is a learned weighted sum of the entries of query, key and their elementwise product, as loops compute it.
PROPERTY(is_the_product_with_all_three) {
  auto trilinear = built<nn::TrilinearScore>("trilinear");
  Tensor e = scores(trilinear, queries(), keys());
  Tensor w = concat({trilinear.of_query, trilinear.of_key, trilinear.of_both}, 0).value();
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t s = 0; s < 5; ++s) {
      double wanted = 0;
      for (int64_t i = 0; i < kWidth; ++i) {
        double q = queries().value().at({1, t, i}), k = keys().value().at({1, s, i});
        wanted += w.at({i}) * q + w.at({kWidth + i}) * k + w.at({2 * kWidth + i}) * q * k;
      }
      CHECK(e.at({1, t, s}) == doctest::Approx(wanted).epsilon(1e-12));
    }
}

// It is the general score plus a number for each key: this bias is all that was added.
PROPERTY(is_general_with_a_key_bias) {
  auto biaffine = built<nn::BiaffineScore>("biaffine", 3, 4);
  auto general = built<nn::GeneralScore>("general", 3, 4);
  general.weight.set_value(biaffine.weight.value());
  Tensor wanted = scores(general, queries(3), keys(4)), e = scores(biaffine, queries(3), keys(4));
  Tensor bias = transpose(sum(keys(4) * biaffine.bias, {-1}, true), -2, -1).value();
  CHECK(close(e, add(wanted, bias)));
  CHECK_FALSE(close(e, wanted, 1e-2));
  CHECK(close(mul(dots(biaffine.prepare_query(queries(3)), biaffine.prepare(keys(4))), *biaffine.product_scale()), e));
}

// A number for each query would cancel in the softmax, so it is not learned; the number for each key does not cancel.
PROPERTY(a_number_per_query_cancels) {
  auto biaffine = built<nn::BiaffineScore>("biaffine", 3, 4);
  Variable e(scores(biaffine, queries(3), keys(4)));
  CHECK(close(softmax(e + Variable(random({2, 3, 1}, 7, kF64))).value(), softmax(e).value()));
  biaffine.bias.set_value(add(biaffine.bias.value(), 1));  // a number per key does not
  CHECK_FALSE(close(softmax(Variable(scores(biaffine, queries(3), keys(4)))).value(), softmax(e).value(), 1e-2));
}

// --- A14 ---

// All queries rank the keys in the same order, which is the weakness that GATv2 repairs.
PROPERTY(every_query_ranks_the_keys_alike) {
  auto gat = built<nn::GatScore>("gat:5");
  Variable q = random({1, 40, kWidth}, 1, kF64) * 3, k = random({1, 9, kWidth}, 2, kF64) * 3;
  Tensor e = scores(gat, q, k);
  std::vector<double> best = argmax(e, -1).to_vector();
  for (double place : best) CHECK(place == best[0]);
  Variable f = sum(gat.shared(q) * gat.of_query, {-1}, true), g = sum(gat.shared(k) * gat.of_key, {-1}, true);
  for (int64_t t = 0; t < 40; ++t)
    for (int64_t s = 0; s < 9; ++s) {
      double x = f.value().at({0, t, 0}) + g.value().at({0, s, 0});
      CHECK(e.at({0, t, s}) == doctest::Approx(x > 0 ? x : .2 * x).epsilon(1e-12));
    }
}

// Two queries can prefer different keys: it solves the task of its paper that GAT cannot.
PROPERTY(queries_may_rank_the_keys_differently) {
  // Brody et al.'s task: query i asks for key i. W = [1, 1; -1, -1] on q - k, a = -1: -LeakyReLU(q - k) - LeakyReLU(k
  // - q) is largest where q = k.
  auto gatv2 = built<nn::Gatv2Score>("gatv2:2,slope=0.2", 1, 1);
  gatv2.query.weight.set_value(Tensor::from(std::vector<double>{1, -1}, {2, 1}));
  gatv2.key.weight.set_value(Tensor::from(std::vector<double>{-1, 1}, {2, 1}));
  gatv2.a.set_value(Tensor::full({2}, -1, kF64));
  Variable words = Variable(Tensor::from(std::vector<double>{0, 1, 2, 3}, {1, 4, 1}));
  Tensor e = scores(gatv2, words, words);
  CHECK(argmax(e, -1).to_vector() == std::vector<double>{0, 1, 2, 3});
  CHECK(e.at({0, 3, 1}) == doctest::Approx(-(2 - .4)).epsilon(1e-12));
  CHECK(e.at({0, 1, 1}) == 0);
}

// --- A16 ---

// Other keys leave the weights unchanged, bit by bit: no query is compared with any key.
PROPERTY(no_key_is_read) {
  Ask ask = small_ask(), other = ask;
  other.keys = leaf({2, 5, kWidth}, 99, kF64);
  CHECK(bit_equal(subject_of(entry)(ask).weights.value(), subject_of(entry)(other).weights.value()));
  CHECK(weights_depend_on_keys(subject_of(entry)) != "");
}

// A short source uses the first columns of the learned table, as if the scores of a longer one were cut off.
PROPERTY(a_short_source_uses_the_first_columns) {
  nn::ScoreOptions o = nn::stage_from(nn::Kind::score, entry.name + ":9");
  o.query = o.key = kWidth;
  Generator rng(3);
  auto score = nn::make_score(o, rng);
  nn::convert(*score, kF64);
  Tensor of_nine = (*score)(queries(), random({2, 9, kWidth}, 4, kF64)).value();
  CHECK(close((*score)(queries(), keys()).value(), of_nine.slice(2, 0, 5)));
  CHECK_FALSE(close(of_nine.slice(2, 0, 5), of_nine.slice(2, 4, 9), 1e-3));
  if (entry.name != "synthesizer_dense") return;
  auto& dense = static_cast<nn::DenseSynthesizer&>(*score);
  CHECK(close(of_nine, linear(relu(linear(queries(), dense.hidden.weight, dense.hidden.bias)), dense.places.weight,
                              dense.places.bias)
                           .value()));
}

// Each query uses its row of the head's table, whatever its content, and a later query has a later row.
PROPERTY(no_query_is_read) {
  auto random_scores = built<nn::RandomSynthesizer>("synthesizer_random:9", kWidth, kWidth, 2);
  Variable q = random({3, 2, 4, kWidth}, 1, kF64), k = random({3, 2, 5, kWidth}, 2, kF64);
  nn::StageContext later{.places = {.first_query = 2}};
  Tensor e = random_scores(q, k, later).value(), R = random_scores.table.value();
  REQUIRE(e.shape() == Shape{3, 2, 4, 5});
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t s = 0; s < 5; ++s) CHECK(e.at({2, h, t, s}) == R.at({h, 2 + t, s}));
}

// --- A17 ---

// It is the additive score whose output vector has the learned length g: its direction and its length
// are learned apart.
PROPERTY(is_additive_of_length_g) {
  auto normed = built<nn::NormedAdditiveScore>("normed_additive:5");
  auto additive = built<nn::AdditiveScore>("additive:5");
  additive.query.weight = normed.query.weight, additive.key.weight = normed.key.weight;
  additive.key.bias = normed.key.bias, additive.v = normed.v;
  double length = std::sqrt(sum(square(normed.v)).item());
  CHECK(normed.g.item() == doctest::Approx(1 / std::sqrt(5.0)));
  normed.g.set_value(Tensor::scalar(length, kF64));
  Tensor wanted = scores(additive, queries(), keys());
  CHECK(close(scores(normed, queries(), keys()), wanted));
  normed.v.set_value(mul(normed.v.value(), 7));  // its length does not count, g does
  CHECK(close(scores(normed, queries(), keys()), wanted));
  normed.g.set_value(Tensor::scalar(2 * length, kF64));
  CHECK(close(scores(normed, queries(), keys()), mul(wanted, 2)));
}

// The offset cancels in a softmax, but lowers all weights under a sigmoid, as monotonic attention needs it.
PROPERTY(the_offset_counts_without_a_softmax) {
  auto normed = built<nn::NormedAdditiveScore>("normed_additive:5");
  Tensor e = scores(normed, queries(), keys());
  normed.r.set_value(Tensor::scalar(-4, kF64));
  Tensor lower = scores(normed, queries(), keys());
  CHECK(close(lower, sub(e, 4)));
  CHECK(close(normalised("softmax", lower), normalised("softmax", e)));
  CHECK(sum(normalised("sigmoid", lower)).item() < .1 * sum(normalised("sigmoid", e)).item());
}

}  // namespace
}  // namespace heed::nn_test
