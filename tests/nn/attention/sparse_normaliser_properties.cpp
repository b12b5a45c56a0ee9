// What the normalisers hold that give weights of exactly 0: entmax, fusedmax, top_k.
#include <cmath>

#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/normalisers/fusedmax.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"
#include "tests/nn/attention/normalised.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

constexpr double kNone = -INFINITY;

// The weights are those of the authors' package, and in some rows those worked out by hand.
PROPERTY(golden_entmax) {
  CHECK(max_abs_difference(normalised("entmax", row({-2, 0, .5})), row({0, .326007, .673993})) < 1e-6);
  CHECK(max_abs_difference(normalised("entmax", row({1, 2, 3})), row({0, .169281, .830719})) < 1e-6);
  CHECK(max_abs_difference(normalised("entmax", row({4, 4, kNone, 4, 4})), row({.25, .25, 0, .25, .25})) < 1e-15);
  CHECK(normalised("entmax", row({0, 2})).to_vector() == std::vector<double>{0, 1});  // u = (-1, 0): at the border
  CHECK(max_abs_difference(normalised("entmax", row({1e12, kNone, 1e12})), row({.5, 0, .5})) < 1e-15);
  for (const char* text : {"entmax", "entmax:1.3", "entmax:3"}) {
    CHECK(all_zero(normalised(text, row({kNone, kNone}))));
    CHECK_FALSE(all_finite(normalised(text, row({0, NAN, 1}))));
  }
}

// An alpha of 1 is the softmax and one of 2 is sparsemax; on the way more and more weights are exactly 0.
PROPERTY(alpha_leads_from_softmax_to_sparsemax) {
  Tensor e = mul(random({20, 9}, 4, kF64), 2);
  CHECK(bit_equal(normalised("entmax:1", e), normalised("softmax", e)));
  CHECK(bit_equal(normalised("entmax:2", e), normalised("sparsemax", e)));
  CHECK(max_abs_difference(normalised("entmax:1.0000001", e), normalised("softmax", e)) < 1e-5);
  CHECK(max_abs_difference(normalised("entmax:1.9999999", e), normalised("sparsemax", e)) < 1e-5);
  int64_t before = 0;
  for (const char* text : {"entmax:1.2", "entmax:1.5", "entmax:1.8"}) {
    Tensor w = normalised(text, e);
    int64_t zeros = 0;
    for (double x : w.to_vector()) zeros += x == 0;
    CHECK(zeros > before);
    before = zeros;
    for (double total : sum(w, {-1}).to_vector()) CHECK(total == doctest::Approx(1).epsilon(1e-14));
  }
}

// Sorting and bisection both satisfy the definition: powers of the weights are scores minus one threshold, and
// 0 below it.
PROPERTY(bisection_is_the_sort) {
  // The definition itself, w^(alpha - 1) = (alpha - 1) e - tau on the support and <= 0 beyond it, for both ways.
  Tensor e = mul(random({50, 7}, 5, kF64), 2);
  CHECK(max_abs_difference(normalised("entmax:1.5", e), normalised("entmax:1.5000000000001", e)) < 1e-12);
  for (double alpha : {1.2, 1.5, 1.7, 2.5}) {
    Tensor w = normalised("entmax:" + std::to_string(alpha), e);
    for (int64_t r = 0; r < 50; ++r) {
      double tau = NAN, beyond = -INFINITY;
      for (int64_t s = 0; s < 7; ++s) {
        double here = (alpha - 1) * e.at({r, s}), p = w.at({r, s});
        if (p == 0) {
          beyond = std::max(beyond, here);
          continue;
        }
        double t = here - std::pow(p, alpha - 1);
        if (!std::isnan(tau)) CHECK(t == doctest::Approx(tau).epsilon(1e-10));
        tau = t;
      }
      CHECK(beyond <= tau + 1e-10);
    }
  }
}

// Each head has an alpha of its own, whose gradient agrees with a difference of losses.
PROPERTY(heads_learn_their_alpha) {
  auto made = normaliser_of("entmax:1.5,learned=1", 2);
  auto& entmax = static_cast<nn::EntmaxNormaliser&>(*made);
  for (double alpha : entmax.alpha().value().to_vector()) CHECK(alpha == doctest::Approx(1.5).epsilon(1e-7));
  entmax.raw_alpha.set_value(Tensor::from(std::vector<double>{-2, 3}, {2, 1, 1}));
  Tensor e = mul(random({2, 2, 3, 6}, 6, kF64), 2);
  Tensor w = entmax(Variable(e)).value(), alpha = entmax.alpha().value();
  for (int64_t h = 0; h < 2; ++h) {
    Variable own(Tensor::scalar(alpha.at({h, 0, 0}), kF64));
    CHECK(bit_equal(w.select(1, h).contiguous(), nn::entmax(Variable(e.select(1, h).contiguous()), own).value()));
  }
  // d / dalpha by a central difference: at 1.3, and where the sort and the bisection meet.
  Tensor dw = random({2, 2, 3, 6}, 7, kF64);
  for (double at : {1.3, 1.5, 1.9}) {
    auto loss = [&](double a) { return sum(mul(nn::entmax(e, Variable(Tensor::scalar(a, kF64))).value(), dw)).item(); };
    Variable exponent(Tensor::scalar(at, kF64), Variable::kRequiresGrad);
    backward(sum(nn::entmax(e, exponent) * Variable(dw)));
    CHECK(exponent.grad().item() == doctest::Approx((loss(at + 1e-5) - loss(at - 1e-5)) / 2e-5).epsilon(1e-6));
  }
}

// Without fusion it is sparsemax; with very strong fusion all keys are read alike.
PROPERTY(no_fusion_is_sparsemax) {
  Tensor e = random({20, 9}, 4, kF64);
  CHECK(max_abs_difference(normalised("fusedmax:0", e), normalised("sparsemax", e)) < 1e-15);
  CHECK(max_abs_difference(normalised("fusedmax:100", e), Tensor::full({20, 9}, 1.0 / 9, kF64)) < 1e-12);
  CHECK_FALSE(all_finite(normalised("fusedmax", row({0, NAN, 1}))));
  CHECK(all_zero(normalised("fusedmax", row({kNone, kNone}))));
}

// Neighbouring keys that meet are fused into a segment with one weight, as in an example worked out by hand.
PROPERTY(segments_share_one_weight) {
  // By hand: at gamma = .25 the ends 1 and 0 have moved by .25 each, and the inner pair (.5, .6) has met: the
  // neighbours pull it up and down alike.
  Tensor y = nn::fused(Variable(row({1, .5, .6, 0})), .25).value();
  CHECK(max_abs_difference(y, row({.75, .55, .55, .25})) < 1e-15);
  Tensor masked = nn::fused(Variable(row({1, kNone, .5, kNone, .6, 0})), .25).value();  // the same, with gaps
  CHECK(masked.to_vector()[1] == kNone);
  for (auto [at, in_y] : {std::pair<size_t, size_t>{0, 0}, {2, 1}, {4, 2}, {5, 3}})
    CHECK(masked.to_vector()[at] == y.to_vector()[in_y]);
  Tensor near = row({1, .5, .625, 0}).to(DType::f32), far = add(near, 0x1p20);  // exact in f32
  CHECK(max_abs_difference(normalised("fusedmax:0.3", far), normalised("fusedmax:0.3", near)) < 1e-6);
  Tensor w = normalised("fusedmax:0.5", random({30, 12}, 8, kF64));
  int equal_neighbours = 0;
  for (int64_t r = 0; r < 30; ++r)
    for (int64_t s = 0; s < 11; ++s) equal_neighbours += w.at({r, s}) > 0 && w.at({r, s}) == w.at({r, s + 1});
  CHECK(equal_neighbours > 40);
}

// No point near the solution has a smaller value of the objective, which is convex, so the solution is its minimum.
PROPERTY(denoising_is_optimal) {
  // No point near y has a smaller |y - e|^2 / 2 + gamma sum |differences|: it is the minimum of a convex function.
  for (double gamma : {.05, .3, 1.0}) {
    Tensor e = random({10, 8}, 9, kF64), y = nn::fused(Variable(e), gamma).value();
    auto price = [&](int64_t r, const std::vector<double>& at) {
      double total = 0;
      for (size_t s = 0; s < 8; ++s) {
        total += std::pow(at[s] - e.at({r, static_cast<int64_t>(s)}), 2) / 2;
        if (s > 0) total += gamma * std::abs(at[s] - at[s - 1]);
      }
      return total;
    };
    for (int64_t r = 0; r < 10; ++r) {
      std::vector<double> here = y.select(0, r).to_vector();
      double best = price(r, here);
      for (size_t begin = 0; begin < 8; ++begin)
        for (size_t end = begin + 1; end <= 8; ++end)
          for (double step : {-1e-3, 1e-3}) {
            std::vector<double> moved = here;
            for (size_t s = begin; s < end; ++s) moved[s] += step;
            CHECK(price(r, moved) >= best);
          }
    }
  }
}

// Keys that are fused share one gradient, the mean over their segment.
PROPERTY(segment_gradient_is_its_mean) {
  // y = (.75, .55, .55, .25), and sparsemax subtracts .85 / 3 from the first three. dw goes through the mean of the
  // support, then through the mean of the segment.
  auto made = normaliser_of("fusedmax:0.25");
  double tau = .85 / 3;
  CHECK(max_abs_difference((*made)(Variable(row({1, .5, .6, 0}))).value(), row({.75 - tau, .55 - tau, .55 - tau, 0})) <
        1e-15);
  Tensor de = score_gradient(*made, row({1, .5, .6, 0}), row({3, 1, 2, 9}));
  CHECK(max_abs_difference(de, row({1, -.5, -.5, 0})) < 1e-15);
  Variable e = leaf(row({1, .5, .6, kNone})), dw = leaf(row({3, 1, 2, 9}));
  Variable first = grad({(*made)(e)}, {e}, {.seeds = {dw}, .create_graph = true})[0];
  Variable second = grad({sum(first * Variable(row({1, 3, 5, 7})))}, {dw})[0];
  CHECK(max_abs_difference(second.value(), row({-2, 1, 1, 0})) < 1e-14);
}

// Each query reads the k keys with the largest scores, or all if fewer are allowed; of equal scores it takes the
// earlier ones.
PROPERTY(exactly_k_weights) {
  CHECK(normalised("top_k:2", row({1, 1, 1, 1})).to_vector() == std::vector<double>{.5, .5, 0, 0});
  CHECK(normalised("top_k:1", row({0, 3, 3})).to_vector() == std::vector<double>{0, 1, 0});
  CHECK(normalised("top_k:2", row({kNone, 1, kNone})).to_vector() == std::vector<double>{0, 1, 0});
  Tensor e = random({40, 9}, 3, kF64), w = normalised("top_k:3", e);
  for (int64_t r = 0; r < 40; ++r) {
    std::vector<double> p = w.select(0, r).to_vector(), z = e.select(0, r).to_vector();
    std::sort(z.begin(), z.end(), std::greater<>());
    double total = std::exp(z[0]) + std::exp(z[1]) + std::exp(z[2]);
    for (int64_t s = 0; s < 9; ++s) {
      double here = e.at({r, s});
      CHECK(w.at({r, s}) == doctest::Approx(here >= z[2] ? std::exp(here) / total : 0).epsilon(1e-12));
    }
    CHECK(std::count(p.begin(), p.end(), 0.0) == 6);
  }
}

// If k is at least the number of keys, it is the softmax, bit by bit.
PROPERTY(all_keys_are_a_softmax) {
  Tensor e = random({4, 9}, 3, kF64);
  for (const char* text : {"top_k:9", "top_k:100"}) CHECK(bit_equal(normalised(text, e), normalised("softmax", e)));
  CHECK_FALSE(bit_equal(normalised("top_k:8", e), normalised("softmax", e)));
}

}  // namespace
}  // namespace heed::nn_test
