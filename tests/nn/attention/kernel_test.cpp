// Kernel attention: the feature maps, and that its three forms are one for each of them.
#include "nn/attention/evaluators/kernel.h"

#include <cmath>
#include <numbers>

#include "autograd/modes.h"
#include "nn/attention/evaluators/cosformer.h"
#include "nn/attention/evaluators/dpfp.h"
#include "nn/attention/evaluators/performer.h"
#include "nn/attention/evaluators/random_features.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/transformer/transformer.h"
#include "tensor/indexing.h"
#include "tensor/profile.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

const std::vector<std::string> kMaps{"performer:5", "random_features:5", "cosformer:16",
                                     "dpfp:2",      "hedgehog:1",        "hedgehog:softmax=0,factor=1"};

nn::MultiHeadOptions heads(const std::string& evaluator, const std::string& scope, int64_t groups = 4) {
  nn::MultiHeadOptions o{.model = 16, .heads = 4, .scope = {.name = scope}};
  o.kv_heads = groups, o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  return o;
}

using Call = std::function<Variable(nn::MultiHeadAttention& m, const Variable& x)>;
std::vector<Tensor> run(const nn::MultiHeadOptions& options, DType dtype, const Tensor& x, const Call& call) {
  auto m = shaken<nn::MultiHeadAttention>(options, dtype, 3);
  Variable in = leaf(x), y = call(m, in);
  backward(weighted_sum(y));
  std::vector<Tensor> out = gradients(m);
  out.push_back(in.grad()), out.push_back(y.value());
  return out;
}
// Padding before, between and after seven words.
Tensor some_words() { return Tensor::from_bools({0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0}, {2, 7}); }

Variable in_pieces(nn::MultiHeadAttention& m, const Variable& x, const Tensor& words, int64_t piece) {
  auto memory = m.memory();
  std::vector<Variable> outputs;
  for (int64_t from = 0, to = 0; from < x.size(1); from = to) {
    to = std::min(x.size(1), from + piece);
    outputs.push_back(m.extend(slice(x, 1, from, to), *memory, {.words = words.slice(1, 0, to)}).output);
  }
  return concat(outputs, 1);
}

// phi(q) . phi(k) for the two rows of x.
double product_of(const nn::FeatureMap& map, const Tensor& x, double scale, const Tensor& places = {}) {
  nn::Features f = map.of(Variable(x), scale, places);
  Tensor phi = exp(f.log).value();
  if (f.part.defined()) phi = mul(phi, f.part.value());
  return sum(mul(phi.select(0, 0), phi.select(0, 1))).item();
}

struct Estimates {
  double mean = 0, error = 0, square = 0;  // of many draws; the standard error of the mean; mean squared error
};
template <class Draw>
Estimates estimates(double exact, const Draw& draw) {
  const int count = 2500;
  Estimates e;
  double squares = 0;
  for (int seed = 1; seed <= count; ++seed) {
    double x = draw(static_cast<uint64_t>(seed));
    e.mean += x / count, squares += x * x / count, e.square += (x - exact) * (x - exact) / count;
  }
  e.error = std::sqrt((squares - e.mean * e.mean) / count);
  return e;
}

// A query and a key of width 4, whose product is far from 0: positive, or negative.
Tensor two_rows(double sign) {
  Tensor x = Tensor::from(std::vector<double>{0.9, -0.6, 0.7, 0.2, 0.8, -0.4, 0.5, -0.9}, {2, 4});
  for (int64_t i = 0; i < 4; ++i) x.set({1, i}, sign * x.at({1, i}));
  return x;
}

double performed(const Tensor& x, int64_t m, bool orthogonal, uint64_t seed) {
  int64_t K = x.size(1);
  nn::PerformerFeatures map(nn::random_directions(m, K, orthogonal, seed));
  return product_of(map, x, 1 / std::sqrt(static_cast<double>(K)));
}

double products(const std::string& evaluator, const std::string& scope, int64_t T) {
  nn::MultiHeadOptions o{.model = 4, .heads = 1, .scope = {.name = scope}};
  o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  auto m = make<nn::MultiHeadAttention>(o, 3);
  Variable x(random({1, T, 4}, 7));
  Profile profile;
  m(x);
  double total = 0;
  for (const ProfileRow& row : profile.rows()) total += row.is_product ? row.work : 0;
  return total;
}

}  // namespace

TEST_CASE("kernel: words that begin at a later place read the same words before them") {
  Generator rng(4);
  Tensor x = Tensor::normal({2, 7, 16}, rng, 0, 1, DType::f64);
  for (const char* map : {"linear", "performer:5", "dpfp:2"}) {
    auto m = shaken<nn::MultiHeadAttention>(heads(map, "causal"), DType::f64, 3);
    Variable in(x), first = m(in).output;
    CHECK(relative_error(m(in, {.places = {.first_query = 3, .first_key = 3}}).output.value(), first.value()) < 1e-12);
  }
}

TEST_CASE("kernel: quadratic, chunkwise and word by word give the same output and gradients, with every map" *
          holds("kernel_forms_are_one")) {
  for (const std::string& name : kMaps)
    for (DType dtype : {DType::f64, DType::f32})
      for (const char* scope : {"global", "causal"})
        for (int64_t groups : {4, 2}) {
          CAPTURE(name);
          double near = dtype == DType::f32 ? 1e-3 : 1e-10;
          Tensor x = random({2, 7, 16}, 7, dtype), words = some_words();
          std::vector<Tensor> wanted = run(heads(name, scope, groups), dtype, x, [&](auto& m, const Variable& in) {
            return m(in, {.words = words, .weights = true}).output;
          });
          for (const char* chunk : {",chunk=1", ",chunk=3", ""})
            CHECK(apart(run(heads(name + chunk, scope, groups), dtype, x,
                            [&](auto& m, const Variable& in) { return m(in, {.words = words}).output; }),
                        wanted) < near);
          if (std::string(scope) == "global") continue;  // word by word nothing sees what comes later
          for (int64_t piece : {1, 3})
            CHECK(apart(run(heads(name + ",chunk=2", scope, groups), dtype, x,
                            [&](auto& m, const Variable& in) { return in_pieces(m, in, words, piece); }),
                        wanted) < near);
        }
}

TEST_CASE("kernel: a translator decodes to the logits of its parallel pass, with every map") {
  Tensor source = ids({4, 5, 6, 7, 8, 5, 0, 0, 6, 6, 4, 0}, {3, 4}), lengths = ids({4, 2, 3}, {3});
  Tensor target = ids({2, 4, 5, 6, 8, 2, 7, 7, 4, 5, 2, 6, 8, 5, 4}, {3, 5});
  for (const std::string& name : kMaps) {
    CAPTURE(name);
    nn::TransformerOptions o = small_transformer();
    o.evaluator = name, o.max_positions = 8;
    auto m = shaken<nn::Transformer>(o);
    NoGrad guard;
    Variable logits = m(source, lengths, target);
    auto search = m.search(source, lengths);
    for (int64_t t = 0; t < 5; ++t)
      CHECK(relative_error(search->next(target.select(1, t).contiguous()),
                           log_softmax_rows(logits.value().select(1, t))) < 1e-10);
  }
}

// The mean over many draws is the exponential, with orthogonal and with independent directions.
TEST_CASE("performer: the mean over draws is the exponential, with orthogonal and with independent directions" *
          holds("features_are_unbiased")) {
  Tensor x = two_rows(-1);  // q + k is small, and so is the variance
  double exact = std::exp(0.5 * sum(mul(x.select(0, 0), x.select(0, 1))).item());
  for (bool orthogonal : {false, true})
    for (int64_t m : {4, 6}) {
      Estimates e = estimates(exact, [&](uint64_t seed) { return performed(x, m, orthogonal, seed); });
      CHECK(e.error < 0.03 * exact);
      CHECK(std::abs(e.mean - exact) < 4 * e.error);
    }
}

// Twice the features halve the squared error, and orthogonal directions err less than independent ones.
TEST_CASE("performer: twice the features halve the squared error, and orthogonal directions err less" *
          holds("error_falls_with_the_features")) {
  Tensor x = random({2, 16}, 3, DType::f64);  // the sum of the rows is where orthogonal directions gain most
  for (int64_t i = 0; i < 16; ++i) x.set({1, i}, (i % 2 ? 0.49 : -0.49) - x.at({0, i}));
  double exact = std::exp(sum(mul(x.select(0, 0), x.select(0, 1))).item() / 4);
  auto error = [&](int64_t m, bool orthogonal) {
    return estimates(exact, [&](uint64_t seed) { return performed(x, m, orthogonal, seed); }).square;
  };
  double few = error(16, false), many = error(32, false), by_few = error(16, true), by_many = error(32, true);
  CHECK(many / few == doctest::Approx(0.5).epsilon(0.2));
  CHECK(by_many / by_few == doctest::Approx(0.5).epsilon(0.2));
  CHECK(by_few < 0.95 * few);
  CHECK(by_many < 0.95 * many);
  // The rows of a block are orthogonal, and no row of another block is.
  Tensor w = nn::random_directions(8, 4, true, 3), gram = matmul(w, w.transpose(0, 1));
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < i; ++j) CHECK((std::abs(gram.at({i, j})) < 1e-12) == (i / 4 == j / 4));
  CHECK(max_abs_difference(nn::random_directions(8, 4, true, 3), w) == 0);
  CHECK(max_abs_difference(nn::random_directions(8, 4, true, 4), w) > 0.1);
}

// The weights are those of the formula, and single precision agrees even where a feature is too small for a float: the
// features are kept as logarithms.
TEST_CASE("performer: the scale of a query cancels and that of a key counts, far outside the range of f32" *
          holds("scales_are_of_rows_and_keys")) {
  // Entries of 40: phi reaches e^-700, which f32 does not have.
  for (const char* scope : {"global", "causal"}) {
    Tensor x = mul(random({2, 7, 16}, 7, DType::f64), 40);
    auto whole = [](auto& m, const Variable& in) { return m(in).output; };
    auto shown = [](auto& m, const Variable& in) { return m(in, {.weights = true}).output; };
    std::vector<Tensor> wanted = run(heads("performer:6,chunk=2", scope), DType::f64, x, whole);
    CHECK(apart(run(heads("performer:6", scope), DType::f64, x, shown), wanted) < 1e-9);
    for (const Call& call : {Call(whole), Call(shown)}) {
      Tensor y = run(heads("performer:6,chunk=2", scope), DType::f32, x.to(DType::f32), call).back();
      CHECK(relative_error(y.to(DType::f64), wanted.back()) < 0.02);
    }
  }
  // By loops: w_ts = sum_i phi_i(q_t) phi_i(k_s) / sum over s, at a size where nothing underflows.
  Tensor directions = nn::random_directions(3, 4, true, 5), rows = random({5, 4}, 9, DType::f64);
  nn::PerformerFeatures map(directions);
  nn::Features f = map.of(Variable(rows), 0.5, {});
  Tensor w = nn::kernel_weights(f, f, {}).value();
  auto phi = [&](int64_t row, int64_t i) {
    double dot = 0, squares = 0;
    for (int64_t c = 0; c < 4; ++c)
      dot += directions.at({i, c}) * rows.at({row, c}), squares += rows.at({row, c}) * rows.at({row, c});
    return std::exp(dot * std::sqrt(0.5) - squares / 4) / std::sqrt(3.0);
  };
  for (int64_t t = 0; t < 5; ++t) {
    std::vector<double> row(5, 0.0);
    double total = 0;
    for (int64_t s = 0; s < 5; ++s) {
      for (int64_t i = 0; i < 3; ++i) row[size_t(s)] += phi(t, i) * phi(s, i);
      total += row[size_t(s)];
    }
    for (int64_t s = 0; s < 5; ++s) CHECK(w.at({t, s}) == doctest::Approx(row[size_t(s)] / total).epsilon(1e-12));
  }
}

// The mean over many draws is the exponential of the cosine, whatever the lengths of the vectors.
TEST_CASE("random features: the mean over draws is the exponential of the cosine, whatever the lengths" *
          holds("sines_and_cosines_are_unbiased")) {
  Tensor x = two_rows(1);
  auto length = [&](int64_t row) { return std::sqrt(sum(square(x.select(0, row))).item()); };
  double cosine = sum(mul(x.select(0, 0), x.select(0, 1))).item() / length(0) / length(1);
  for (double sigma : {1.0, 0.6}) {
    double exact = std::exp((cosine - 1) / (sigma * sigma));
    Estimates e = estimates(exact, [&](uint64_t seed) {
      return product_of(nn::FourierFeatures(nn::random_directions(4, 4, false, seed), sigma), x, 0.5);
    });
    CHECK(e.error < 0.02);
    CHECK(std::abs(e.mean - exact) < 4 * e.error);
    nn::FourierFeatures map(nn::random_directions(4, 4, false, 1), sigma);
    CHECK(product_of(map, mul(x, 1e9), 0.5) == doctest::Approx(product_of(map, x, 2)).epsilon(1e-9));
  }
}

// The weights fall with the cosine of the distance and are never negative.
TEST_CASE("cosformer: the weights fall with the cosine of the distance, and are never negative" *
          holds("weights_fall_with_the_cosine")) {
  Tensor q = random({4, 3}, 1, DType::f64), k = random({6, 3}, 2, DType::f64);
  nn::CosineFeatures map(8);
  Tensor at = Tensor::from(std::vector<int64_t>{2, 3, 4, 5}, {4, 1});
  Tensor w = nn::kernel_weights(map.of(Variable(q), 1, at), map.of(Variable(k), 1, Tensor::arange(6).unsqueeze(-1)), {})
                 .value();
  int seen = 0;
  for (int64_t t = 0; t < 4; ++t) {
    std::vector<double> row;
    double total = 0;
    for (int64_t s = 0; s < 6; ++s) {
      double product = 0;
      for (int64_t c = 0; c < 3; ++c) product += std::max(0.0, q.at({t, c})) * std::max(0.0, k.at({s, c}));
      row.push_back(product * std::cos(std::numbers::pi / 2 * static_cast<double>(t + 2 - s) / 8));
      total += row.back();
    }
    for (int64_t s = 0; s < 6; ++s)
      CHECK(w.at({t, s}) == doctest::Approx(total == 0 ? 0 : row[size_t(s)] / total).epsilon(1e-12));
    CHECK(total >= 0);
    seen += total > 0;
  }
  CHECK(seen >= 2);
}

// A feature is the product of an entry of [x; -x] with one that is a fixed number of entries before it.
TEST_CASE("dpfp: the features are products of an entry of [x; -x] with the one j places before it" *
          holds("features_are_rolled_products")) {
  Tensor x = random({3, 2}, 4, DType::f64);
  for (int64_t nu : {1, 3}) {
    nn::Features f = nn::RolledProducts(nu).of(Variable(x), 1, {});
    CHECK(f.part.shape() == Shape{3, 4 * nu});
    for (int64_t n = 0; n < 3; ++n)
      for (int64_t j = 1; j <= nu; ++j)
        for (int64_t i = 0; i < 4; ++i) {
          auto r = [&](int64_t c) { return std::max(0.0, c < 2 ? x.at({n, c}) : -x.at({n, c - 2})); };
          double phi = std::exp(f.log.value().at({n, 0})) * f.part.value().at({n, (j - 1) * 4 + i});
          CHECK(phi == doctest::Approx(r(i) * r((i - j + 4) % 4)).epsilon(1e-12));
        }
  }
}

TEST_CASE("kernel: from 512 to 8192 words the multiply-adds grow in proportion, with every map" *
          holds("kernel_cost_is_linear")) {
  NoGrad no_grad;
  for (const char* name : {"linear", "performer:4", "random_features:2", "cosformer:10000", "dpfp:1", "hedgehog"})
    for (const char* scope : {"global", "causal"}) {
      CAPTURE(name);
      double slope = std::log(products(name, scope, 8192) / products(name, scope, 512)) / std::log(16.0);
      CHECK(slope > 0.9);
      CHECK(slope <= 1.1);
    }
  double dense = std::log(products("dense", "global", 512) / products("dense", "global", 128)) / std::log(4.0);
  CHECK(dense > 1.8);
}
