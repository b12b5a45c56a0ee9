// Additive attention by its formula; attend; what Observe reports.
#include "nn/attention/scores/additive.h"

#include <cmath>

#include "nn/attention/attention.h"
#include "nn/observe.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

// B 2, T 3, S 5, widths: query 3, key 4, hidden 6, values 7.
struct Setting {
  explicit Setting(DType dtype = DType::f32)
      : attention(make<nn::Attention>({.score = {.query = 3, .key = 4, .settings = {{"width", 6}}}}, 1)),
        q(leaf({2, 3, 3}, 2, dtype)),
        keys(leaf({2, 5, 4}, 3, dtype)),
        values(leaf({2, 5, 7}, 4, dtype)) {
    nn::convert(attention, dtype);
  }
  nn::Attended operator()(const Tensor& allowed = {}) const {
    nn::Memory memory = attention.remember(keys, values);
    memory.allowed = allowed;
    return attention(q, memory);
  }
  const nn::AdditiveScore& score() const { return static_cast<const nn::AdditiveScore&>(*attention.score); }
  nn::Attention attention;
  Variable q, keys, values;
};

// Sentence 0 has three words, sentence 1 all five: [2, 1, 5].
Tensor words() { return Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, {2, 1, 5}); }

}  // namespace

TEST_CASE("additive attention: the score is v^T tanh(W q + U k + b), and never larger than |v|_1") {
  Setting s(DType::f64);
  auto& a = s.score();
  Tensor e = a(s.q, a.prepare(s.keys)).value();
  REQUIRE(e.shape() == Shape{2, 3, 5});
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 3; ++t)
      for (int64_t k = 0; k < 5; ++k) {
        double sum = 0;
        for (int64_t u = 0; u < 6; ++u) {
          double pre = a.key.bias.value().at({u});
          for (int64_t j = 0; j < 3; ++j) pre += a.query.weight.value().at({u, j}) * s.q.value().at({b, t, j});
          for (int64_t j = 0; j < 4; ++j) pre += a.key.weight.value().at({u, j}) * s.keys.value().at({b, k, j});
          sum += a.v.value().at({u}) * std::tanh(pre);
        }
        CHECK(e.at({b, t, k}) == doctest::Approx(sum).epsilon(1e-12));
      }
  double bound = 0;
  for (double v : a.v.value().to_vector()) bound += std::abs(v);
  Variable far(mul(s.q.value(), 1e6));
  for (double score : a(far, a.prepare(s.keys)).value().to_vector()) CHECK(std::abs(score) <= bound * (1 + 1e-12));
}

TEST_CASE("attend: context = weights . values, masks that broadcast, and misfits refused") {
  Variable scores(random({2, 3, 5}, 1)), values(random({2, 5, 7}, 2));
  nn::Attended a = nn::attend(scores, values);
  CHECK(bit_equal(a.weights.value(), softmax(scores).value()));
  CHECK(bit_equal(a.context.value(), matmul(a.weights, values).value()));
  Tensor per_key = Tensor::from_bools({1, 0, 1, 1, 1}, {5});
  CHECK(bit_equal(nn::attend(scores, values, per_key).context.value(),
                  nn::attend(scores, values, per_key.view({1, 1, 5})).context.value()));
  CHECK(message_of<DTypeError>([&] { nn::attend(scores, values, Tensor::ones({5})); }) != "no error");
}

TEST_CASE("Observe: the innermost one receives module path and weights; without one nothing is reported") {
  Setting s;
  nn::assign_paths(s.attention, "decoder.attention");
  CHECK_FALSE(nn::Observe::active());
  std::vector<nn::AttentionSeen> outer, inner;
  {
    nn::Observe watch([&](const nn::AttentionSeen& seen) { outer.push_back(seen); });
    CHECK(nn::Observe::active());
    nn::Attended a = s(words());
    REQUIRE(outer.size() == 1);
    CHECK(outer[0].module == "decoder.attention");
    CHECK(bit_equal(outer[0].weights, a.weights.value()));
    {
      nn::Observe closer([&](const nn::AttentionSeen& seen) { inner.push_back(seen); });
      s();
      s();
    }
    CHECK(inner.size() == 2);
    CHECK(outer.size() == 1);
    s();
    CHECK(outer.size() == 2);
    try {
      nn::Observe thrown([](const nn::AttentionSeen&) { throw ValueError("seen"); });
      s();
    } catch (const ValueError&) {}
    s();
    CHECK(outer.size() == 3);
  }
  CHECK_FALSE(nn::Observe::active());
  s();
  CHECK(outer.size() == 3);
  CHECK(inner.size() == 2);
}
