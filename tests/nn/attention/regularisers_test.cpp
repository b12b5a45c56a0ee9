// Penalties of attention weights: by hand, without padding, and in the loss of an encoder-decoder.
#include "nn/attention/regularisers.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "nn/models/bahdanau.h"
#include "nn/penalties.h"
#include "nn/train/attention_penalties.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

Tensor all_steps(int64_t B, int64_t T) { return Tensor::from_bools(std::vector<int>(size_t(B * T), 1), {B, T}); }
Tensor lengths(const std::vector<int64_t>& n) { return Tensor::from(n, {static_cast<int64_t>(n.size())}); }
Variable one(const std::vector<double>& rows, int64_t T, int64_t S) { return Variable(Tensor::from(rows, {1, T, S})); }

// All four, of weights [B, T, S].
std::vector<double> penalties(const Variable& a, const Tensor& steps, const Tensor& words) {
  return {nn::doubly_stochastic_penalty(a, steps, words).item(), nn::mean_entropy(a, steps).item(),
          nn::mean_overlap(a, steps).item(), nn::guided_penalty(a, steps, words).item()};
}

}  // namespace

// The penalties of identity, even and one-sided weights agree with values worked out by hand.
TEST_CASE("penalties of attention: identity, even and one-sided weights by hand" * holds("golden_penalties")) {
  Variable identity(Tensor::eye(3).to(kF64).unsqueeze(0)), even(Tensor::full({1, 3, 3}, 1. / 3, kF64)),
      first = one({1, 0, 0, 1, 0, 0, 1, 0, 0}, 3, 3);
  auto of = [](const Variable& a) { return penalties(a, all_steps(1, 3), lengths({3})); };
  CHECK(of(identity) == std::vector<double>{0, 0, 0, 0});
  std::vector<double> spread = of(even), same = of(first);
  CHECK(spread[0] == doctest::Approx(0).scale(1));  // each word is read once in all
  CHECK(spread[1] == doctest::Approx(std::log(3)));
  CHECK(spread[2] == doctest::Approx(1. / 3));
  CHECK(same[0] == doctest::Approx(6));  // (1 - 3)^2 + 1 + 1
  CHECK(same[1] == 0);
  CHECK(same[2] == doctest::Approx(1));
  Variable nearly(Tensor::from(std::vector<float>{1, 1e-9f, 0, 1}, {1, 2, 2}));  // what they share is all there is
  CHECK(nn::mean_overlap(nearly, all_steps(1, 2)).item() / 1e-9 == doctest::Approx(1));
  CHECK(nn::mean_overlap(one({1, 0}, 1, 2), all_steps(1, 1)).item() == 0);
  // Away from the diagonal by 1/2: 1 - exp(-1/4 / (2 * 0.04)) = 1 - exp(-3.125).
  Variable crossed = one({0, 1, 1, 0}, 2, 2);
  CHECK(nn::guided_penalty(crossed, all_steps(1, 2), lengths({2})).item() == doctest::Approx(1 - std::exp(-3.125)));
  // Two steps, three words: 0/3 - 0/2 = 0, 2/3 - 1/2 = 1/6.
  Variable slanted = one({1, 0, 0, 0, 0, 1}, 2, 3);
  CHECK(nn::guided_penalty(slanted, all_steps(1, 2), lengths({3}), 0.5).item() ==
        doctest::Approx((1 - std::exp(-1. / 18)) / 2));
}

// Padding on either side changes no penalty.
TEST_CASE("penalties of attention: padding on either side changes nothing" * holds("penalties_ignore_padding")) {
  Tensor a = softmax(Variable(random({1, 3, 4}, 1, kF64))).value();
  std::vector<double> wanted = penalties(Variable(a), all_steps(1, 3), lengths({4}));
  Tensor padded = Tensor::full({1, 5, 6}, 7, kF64);  // rows after the last step are anything
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t s = 0; s < 6; ++s) padded.set({0, t, s}, s < 4 ? a.at({0, t, s}) : 0);
  std::vector<double> seen = penalties(Variable(padded), Tensor::from_bools({1, 1, 1, 0, 0}, {1, 5}), lengths({4}));
  for (size_t i = 0; i < 4; ++i) CHECK(seen[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
  CHECK(penalties(Variable(a), Tensor::from_bools({0, 0, 0}, {1, 3}), lengths({1})) == std::vector<double>{1, 0, 0, 0});
}

// The gradients of the penalties are right, at weights of 0 too.
TEST_CASE("penalties of attention: the gradients, at zeros too" * holds("penalties_have_gradients")) {
  Tensor steps = Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3}), words = lengths({4, 2});
  auto f = [&](const std::vector<Variable>& in) {
    Variable a = softmax(in[0]);
    return stack({nn::doubly_stochastic_penalty(a, steps, words), nn::mean_entropy(a, steps),
                  nn::mean_overlap(a, steps), nn::guided_penalty(a, steps, words)},
                 0);
  };
  GradcheckReport r = gradcheck(f, {random({2, 3, 4}, 2, kF64)});
  CHECK_MESSAGE(r.passed, to_string(r));
  Variable sharp = leaf(Tensor::eye(3).to(kF64).unsqueeze(0));
  backward(nn::mean_entropy(sharp, all_steps(1, 3)));
  CHECK(all_finite(sharp.grad()));
}

// Training adds the penalties that have a factor to its loss.
TEST_CASE("penalties of attention: training adds those with a weight" * holds("penalties_are_collected")) {
  nn::Bahdanau m = make<nn::Bahdanau>(small_paper<nn::Bahdanau>(8, 8, 3, 4), 1);
  Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 0, 0}, {2, 4}), words = lengths({4, 2}),
         in = Tensor::from(std::vector<int64_t>{2, 4, 5, 2, 6, 0}, {2, 3});
  Variable alignment;
  m(source, words, in, &alignment);
  nn::Penalties collected;
  nn::AttentionPenalties{.doubly_stochastic = 2, .attention_overlap = .5}.add(alignment, in, words);
  Tensor steps = Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3});
  std::vector<double> wanted = penalties(alignment, steps, words);
  REQUIRE(collected.values().size() == 2);
  CHECK(collected.values().at("doubly_stochastic") == doctest::Approx(2 * wanted[0]).epsilon(1e-5));
  CHECK(collected.values().at("attention_overlap") == doctest::Approx(.5 * wanted[2]).epsilon(1e-5));
  backward(collected.total());
  for (auto& p : nn::named_parameters(m.attention)) CHECK(!all_zero(p.variable.grad()));
}
