// Attention through landmarks.
#include "nn/attention/evaluators/nystrom.h"

#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/profile.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::MultiHeadAttention built(const std::string& evaluator) {
  nn::MultiHeadOptions o{.model = 16, .heads = 4};
  o.kv_heads = 2, o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  return shaken<nn::MultiHeadAttention>(o, kF64, 3);
}

double residual(const Tensor& a, const Tensor& z) { return max_abs_difference(matmul(matmul(a, z), a), a); }

}  // namespace

// With a landmark for each word it is full attention, weights included.
TEST_CASE("nystrom: with a landmark for each word it is full attention, weights too" *
          holds("a_landmark_each_is_full_attention")) {
  Variable x(mul(random({2, 6, 16}, 7, kF64), 2));
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 6});
  auto full = built("dense"), all = built("nystrom:6,iterations=40"), few = built("nystrom:3");
  nn::MultiHeadOutput wanted = full(x, {.words = words, .weights = true}),
                      seen = all(x, {.words = words, .weights = true}),
                      rough = few(x, {.words = words, .weights = true});
  CHECK(max_abs_difference(seen.weights.value(), wanted.weights.value()) < 1e-9);
  CHECK(max_abs_difference(seen.output.value().slice(0, 0, 1), wanted.output.value().slice(0, 0, 1)) < 1e-9);
  CHECK(max_abs_difference(all(x, {.words = words}).output.value(), seen.output.value()) < 1e-12);
  CHECK(max_abs_difference(rough.weights.value(), wanted.weights.value()) > 1e-3);
  // One query alone, as in a step of a decoder: one landmark for it, whatever the number of keys.
  Variable q = slice(x, 1, 0, 1);
  CHECK(max_abs_difference(few(q, x, x).output.value(), full(q, x, x).output.value()) < 1e-12);
}

// The iteration finds the pseudo-inverse from its published start; a transposed matrix that is not divided by its sums
// begins with an error above 1.
TEST_CASE("nystrom: the iteration finds the pseudo-inverse from its start, which the sums of the matrix keep small" *
          holds("pinv_converges_from_its_start")) {
  for (uint64_t seed : {1U, 2U, 3U}) {
    Tensor a = softmax(Variable(mul(random({2, 8, 8}, seed, kF64), 2))).value();
    CHECK(residual(a, nn::iterative_pinv(Variable(a), 6).value()) < 1e-2);
    Tensor z = nn::iterative_pinv(Variable(a), 12).value();
    CHECK(residual(a, z) < 1e-4);
    Tensor more = nn::iterative_pinv(Variable(a), 60).value();
    CHECK(residual(a, more) < 1e-10);
    CHECK(max_abs_difference(matmul(matmul(more, a), more), more) < 1e-6);
  }
  // A matrix of rank 1 has a pseudo-inverse, and no inverse: all rows p, so A^+ = p^T 1^T / (n |p|^2).
  Tensor p = softmax(Variable(random({1, 5}, 4, kF64))).value(), a = p.expand({5, 5}).contiguous();
  Tensor z = nn::iterative_pinv(Variable(a), 8).value();
  double squares = sum(mul(p, p)).item();
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 5; ++j) CHECK(z.at({i, j}) == doctest::Approx(p.at({0, i}) / (5 * squares)).epsilon(1e-9));
  // If the largest sum of a column is not divided out, I - A Z may be larger than 1, and every step enlarges it.
  Tensor scores = mul(random({4, 4}, 5, kF64), 0.01);
  for (int64_t i = 0; i < 4; ++i) scores.set({i, 0}, 4);  // all queries read the first key, whose column sums to 3.8
  Tensor sharp = softmax(Variable(scores)).value();
  CHECK(residual(sharp, sharp.transpose(0, 1).contiguous()) > 1);
  CHECK(residual(sharp, nn::iterative_pinv(Variable(sharp), 6).value()) < 1e-2);
}

// Landmarks are means of words alone, wherever the padding is, and a sentence without words reads zeros.
TEST_CASE("nystrom: landmarks do not see padding, wherever it is, and a sentence without words reads 0" *
          holds("landmarks_do_not_see_padding")) {
  for (const char* evaluator : {"nystrom:2", "nystrom:3", "nystrom"}) {
    auto m = built(evaluator);
    Variable x(random({3, 7, 16}, 5, kF64));
    Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, {3, 7});
    Tensor seen = m(x, {.words = words}).output.value();
    Variable alone(x.value().slice(0, 1, 2).slice(1, 2, 7).contiguous());
    CHECK(max_abs_difference(seen.slice(0, 1, 2).slice(1, 2, 7), m(alone).output.value()) < 1e-12);
    Variable first(x.value().slice(0, 0, 1).contiguous());
    CHECK(max_abs_difference(seen.slice(0, 0, 1), m(first).output.value()) < 1e-12);
    for (int64_t t = 0; t < 7; ++t)
      CHECK(max_abs_difference(seen.select(0, 2).select(0, t), m.out_proj.bias.value()) < 1e-15);
  }
}

// Over a wide range of lengths the multiply-adds grow in proportion to the words.
TEST_CASE("nystrom: from 512 to 8192 words the multiply-adds grow in proportion" * holds("landmark_cost_is_linear")) {
  NoGrad no_grad;
  auto products = [](int64_t T) {
    nn::MultiHeadOptions o{.model = 4, .heads = 1, .evaluator = nn::stage_from(nn::Kind::evaluator, "nystrom:4")};
    auto m = make<nn::MultiHeadAttention>(o, 3);
    Variable x(random({1, T, 4}, 7));
    Profile profile;
    m(x);
    double total = 0;
    for (const ProfileRow& row : profile.rows()) total += row.is_product ? row.work : 0;
    return total;
  };
  double slope = std::log(products(8192) / products(512)) / std::log(16.0);
  CHECK(slope > 0.9);
  CHECK(slope <= 1.1);
}
