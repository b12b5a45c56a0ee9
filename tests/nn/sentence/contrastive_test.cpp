// The contrastive loss and retrieval against the formulas, written as loops.
#include "nn/sentence/contrastive.h"

#include <cmath>

#include "nn/sentence/retrieval.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

double cosine(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  double ab = 0, aa = 0, bb = 0;
  for (int64_t d = 0; d < a.size(1); ++d) {
    ab += a.at({i, d}) * b.at({j, d});
    aa += a.at({i, d}) * a.at({i, d});
    bb += b.at({j, d}) * b.at({j, d});
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

double slow_loss(const Tensor& a, const Tensor& b, double tau) {
  double total = 0;
  int64_t B = a.size(0);
  for (int64_t i = 0; i < B; ++i) {
    double all = 0;
    for (int64_t j = 0; j < B; ++j) all += std::exp(cosine(a, i, b, j) / tau);
    total -= std::log(std::exp(cosine(a, i, b, i) / tau) / all);
  }
  return total / static_cast<double>(B);
}

}  // namespace

TEST_CASE("contrastive loss: the formula, one way and both ways") {
  Tensor a = random({6, 5}, 1, DType::f64), b = random({6, 5}, 2, DType::f64);
  for (double tau : {0.05, 0.5}) {
    double there = slow_loss(a, b, tau), back = slow_loss(b, a, tau);
    CHECK(nn::contrastive_loss(Variable(a), Variable(b), {.temperature = tau}).item() ==
          doctest::Approx(there).epsilon(1e-12));
    CHECK(nn::contrastive_loss(Variable(a), Variable(b), {.temperature = tau, .symmetric = true}).item() ==
          doctest::Approx((there + back) / 2).epsilon(1e-12));
  }
  Tensor same = Tensor::ones({4, 3}, DType::f64);
  CHECK(nn::contrastive_loss(Variable(same), Variable(same)).item() == doctest::Approx(std::log(4)).epsilon(1e-12));
}

TEST_CASE("contrastive loss: lengths do not matter, and a zero vector has a finite gradient") {
  Tensor a = random({4, 3}, 3), b = random({4, 3}, 4);
  float* scaled = a.data<float>();
  double before = nn::contrastive_loss(Variable(a), Variable(b)).item();
  for (int64_t d = 0; d < 3; ++d) scaled[d] *= 10;
  CHECK(nn::contrastive_loss(Variable(a), Variable(b)).item() == doctest::Approx(before).epsilon(1e-5));
  for (int64_t d = 0; d < 3; ++d) scaled[d] = 0;
  Variable x = leaf(a);
  backward(nn::contrastive_loss(x, Variable(b)));
  for (double g : x.grad().to_vector()) CHECK(std::isfinite(g));
}

TEST_CASE("retrieval: nearest rows, accuracy at 1 and MRR as loops find them") {
  Tensor q = random({40, 4}, 5), rows = random({55, 4}, 6);
  std::vector<int64_t> right;
  Generator rng(3);
  for (int64_t n = 0; n < 40; ++n) right.push_back(rng.below(55));
  double accuracy = 0, mrr = 0;
  auto found = nn::nearest(q, rows, 3);
  for (int64_t n = 0; n < 40; ++n) {
    int64_t own = right[static_cast<size_t>(n)], rank = 1, best = 0;
    for (int64_t m = 0; m < 55; ++m) {
      if (m != own && cosine(q, n, rows, m) >= cosine(q, n, rows, own)) ++rank;
      if (cosine(q, n, rows, m) > cosine(q, n, rows, best)) best = m;
    }
    accuracy += rank == 1 ? 1.0 / 40 : 0;
    mrr += 1.0 / 40 / static_cast<double>(rank);
    const auto& near = found[static_cast<size_t>(n)];
    REQUIRE(near.size() == 3);
    CHECK(near[0].row == best);
    CHECK(near[0].cosine == doctest::Approx(cosine(q, n, rows, best)).epsilon(1e-5));
    CHECK(near[0].cosine >= near[1].cosine);
    CHECK(near[1].cosine >= near[2].cosine);
  }
  nn::Retrieval r = nn::retrieval(q, rows, right);
  CHECK(r.accuracy == doctest::Approx(accuracy).epsilon(1e-9));
  CHECK(r.mrr == doctest::Approx(mrr).epsilon(1e-9));
  CHECK(nn::nearest(q, rows, 99)[0].size() == 55);
}

TEST_CASE("retrieval: what is equal finds nothing, what is itself finds itself") {
  Tensor x = random({10, 3}, 7), same = Tensor::ones({10, 3});
  CHECK(nn::retrieval(x, x).accuracy == 1);
  CHECK(nn::retrieval(x, x).mrr == 1);
  nn::Retrieval none = nn::retrieval(same, same);
  CHECK(none.accuracy == 0);
  CHECK(none.mrr == doctest::Approx(0.1));
  CHECK(nn::retrieval(Tensor::zeros({10, 3}), x).accuracy == 0);
}
