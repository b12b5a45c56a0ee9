// Additive attention and attend: what the formula promises, and that the attention is a real one.
#include "nn/attention/scores/additive.h"

#include <doctest/doctest.h>

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
  nn::Attended operator()(const Tensor& allowed = {}) const { return read(q, keys, values, allowed); }
  nn::Attended read(const Variable& query, const Variable& k, const Variable& v, const Tensor& allowed) const {
    nn::Memory memory = attention.remember(k, v);
    memory.allowed = allowed;
    return attention(query, memory);
  }
  const nn::AdditiveScore& score() const { return static_cast<const nn::AdditiveScore&>(*attention.score); }
  nn::Attention attention;
  Variable q, keys, values;
};

// Sentence 0 has three words, sentence 1 all five: [2, 1, 5].
Tensor words() { return Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, {2, 1, 5}); }

void fill_row(const Variable& v, int64_t b, int64_t s, double value) {
  Tensor row = v.value().select(0, b).select(0, s);
  fill_into(row, value);
}

}  // namespace

TEST_SUITE("unit") {
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

  TEST_CASE("additive attention: weights are a distribution over the allowed keys, even where v is zero") {
    Setting s;
    nn::Attended seen = s(words());
    const Variable& weights = seen.weights;
    REQUIRE(weights.shape() == Shape{2, 3, 5});
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t t = 0; t < 3; ++t) {
        double sum = 0;
        for (int64_t k = 0; k < 5; ++k) {
          double w = weights.value().at({b, t, k});
          bool allowed = b == 1 || k < 3;
          CHECK((allowed ? w > 0 : w == 0));
          sum += w;
        }
        CHECK(sum == doctest::Approx(1).epsilon(1e-6));
      }
    Tensor v = s.score().v.value();
    fill_into(v, 0);
    Tensor uniform = s(words()).weights.value();
    CHECK(uniform.at({0, 1, 2}) == doctest::Approx(1.0 / 3));
    CHECK(uniform.at({0, 1, 0}) == uniform.at({0, 1, 2}));
    CHECK(uniform.at({1, 2, 4}) == doctest::Approx(1.0 / 5));
  }

  TEST_CASE("additive attention: padded keys and values change no bit, and get no gradient") {
    Setting s;
    nn::Attended before = s(words());
    backward(weighted_sum(before.context) + weighted_sum(before.weights));
    for (int64_t k = 0; k < 5; ++k) {
      bool allowed = k < 3;
      CHECK(all_zero(s.keys.grad().select(0, 0).select(0, k)) == !allowed);
      CHECK(all_zero(s.values.grad().select(0, 0).select(0, k)) == !allowed);
      CHECK_FALSE(all_zero(s.keys.grad().select(0, 1).select(0, k)));
      CHECK_FALSE(all_zero(s.values.grad().select(0, 1).select(0, k)));
    }
    for (double value : {1e30, -7.0}) {
      fill_row(s.keys, 0, 3, value);
      fill_row(s.values, 0, 4, value);
      nn::Attended after = s(words());
      CHECK(bit_equal(after.context.value(), before.context.value()));
      CHECK(bit_equal(after.weights.value(), before.weights.value()));
    }
    // A shorter batch without the padding gives the same bits too.
    auto cut = [](const Variable& v) { return Variable(v.value().slice(0, 0, 1).slice(1, 0, 3)); };
    nn::Attended alone = s.read(s.q.value().slice(0, 0, 1), cut(s.keys), cut(s.values), {});
    CHECK(bit_equal(alone.context.value(), before.context.value().slice(0, 0, 1).contiguous()));
  }

  TEST_CASE("additive attention: a query that may look at nothing reads zero, and every gradient is finite") {
    Setting s;
    Tensor allowed = Tensor::from_bools({0, 0, 0, 0, 0, 1, 1, 0, 1, 1}, {2, 1, 5});
    nn::Attended a = s(allowed);
    CHECK(all_zero(a.context.value().select(0, 0)));
    CHECK(all_zero(a.weights.value().select(0, 0)));
    CHECK_FALSE(all_zero(a.context.value().select(0, 1)));
    backward(weighted_sum(a.context) + weighted_sum(a.weights));
    for (const Variable& x : {s.q, s.keys, s.values}) {
      CHECK(all_finite(x.grad()));
      CHECK(all_zero(x.grad().select(0, 0)));
      CHECK_FALSE(all_zero(x.grad().select(0, 1)));
    }
    for (const Tensor& g : gradients(s.attention)) CHECK(all_finite(g));
  }

  TEST_CASE("additive attention: the weights depend on every key and query, and follow the keys") {
    Setting s(DType::f64);
    nn::Attended before = s();
    for (int64_t k = 0; k < 5; ++k) {
      Setting other(DType::f64);
      fill_row(other.keys, 1, k, 0.3);
      Tensor weights = other().weights.value();
      CHECK(max_abs_difference(weights.select(0, 1), before.weights.value().select(0, 1)) > 1e-4);
      CHECK(bit_equal(weights.select(0, 0).contiguous(), before.weights.value().select(0, 0).contiguous()));
    }
    Setting other(DType::f64);
    fill_row(other.q, 0, 1, 0.3);
    CHECK(max_abs_difference(other().weights.value(), before.weights.value()) > 1e-4);

    // Keys and values in another order: the weights move with them, the context stays.
    std::vector<int64_t> order{3, 0, 4, 2, 1};
    auto permuted = [&](const Variable& v) {
      std::vector<Variable> rows;
      for (int64_t k : order) rows.push_back(select(v, 1, k));
      return stack(rows, 1);
    };
    nn::Attended moved = s.read(s.q, permuted(s.keys), permuted(s.values), {});
    CHECK(relative_error(moved.context.value(), before.context.value()) <= 1e-12);
    for (int64_t k = 0; k < 5; ++k)
      CHECK(relative_error(moved.weights.value().select(2, k),
                           before.weights.value().select(2, order[static_cast<size_t>(k)])) <= 1e-14);
  }

  TEST_CASE("additive attention: equal values give that value, whatever the weights") {
    Setting s(DType::f64);
    Tensor value = random({2, 1, 7}, 9, DType::f64);
    Variable same(value.expand({2, 5, 7}));
    nn::Attended a = s.read(s.q, s.keys, same, words());
    CHECK(relative_error(a.context.value(), value.expand({2, 3, 7})) <= 1e-14);
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
}
