// Positions that are counted by the words themselves: the formula, and where it reads its numbers from.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/positions/contextual.h"
#include "nn/attention/structures/multi_head.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

// If all gates are 1, the position of a key is its distance from the query plus 1; beyond the last learned position all
// keys share that one.
TEST_CASE("contextual: with gates of 1 the position is the distance plus 1, and P for all that are farther away" *
          holds("open_gates_count_words")) {
  constexpr int64_t T = 5, P = 3;
  Variable q(random({1, 1, T, 2}, 1, DType::f64)), table(random({P + 1, 2}, 2, DType::f64));
  Tensor gates = Tensor::zeros({1, 1, T, T}, DType::f64);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s <= t; ++s) gates.data<double>()[t * T + s] = 1;
  Tensor z = nn::contextual_bias(q, Variable(gates), table).value();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s <= t; ++s) {
      const int64_t p = std::min(t - s + 1, P);
      double expected = 0;
      for (int64_t d = 0; d < 2; ++d) expected += q.value().at({0, 0, t, d}) * table.value().at({p, d});
      CHECK(z.at({0, 0, t, s}) == doctest::Approx(expected).epsilon(1e-12));
    }
}

// Between two positions their vectors are mixed.
TEST_CASE("contextual: between two positions their vectors are mixed" *
          holds("positions_are_interpolated")) {  // positions 1.7, 1.4 and 0.9
  Variable q(Tensor::ones({1, 1, 1, 1}, DType::f64)), table(Tensor::from(std::vector<double>{10, 20, 40, 80}, {4, 1}));
  Variable gates(Tensor::from(std::vector<double>{0.3, 0.5, 0.9}, {1, 1, 1, 3}));
  Tensor z = nn::contextual_bias(q, gates, table).value();
  CHECK(z.at({0, 0, 0, 0}) == doctest::Approx(20 + 0.7 * 20));
  CHECK(z.at({0, 0, 0, 1}) == doctest::Approx(20 + 0.4 * 20));
  CHECK(z.at({0, 0, 0, 2}) == doctest::Approx(10 + 0.9 * 10));
}

// The weights agree with loops over queries and keys, in each head, under masks and padding.
TEST_CASE("contextual: the weights are those of loops over queries and keys, in each head, under masks and padding" *
          holds("counts_as_the_formula")) {
  constexpr int64_t B = 2, T = 6, D = 8, H = 4, K = D / H;
  for (DType dtype : {DType::f32, DType::f64})
    for (const char* scope : {"causal", "global", "causal&window:2"})
      for (int64_t groups : {H, int64_t{2}}) {
        nn::MultiHeadOptions o{.model = D, .heads = H, .scope = nn::stage_from(nn::Kind::scope, scope)};
        o.kv_heads = groups, o.position = nn::stage_from(nn::Kind::position, "contextual:2");
        auto m = drawn<nn::MultiHeadAttention>(o, dtype);
        const auto& table = dynamic_cast<const nn::ContextualPosition&>(*m.position).positions.value();
        Tensor x = mul(random({B, T, D}, 3, dtype), 2);
        const Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0}, {B, T});
        for (int64_t d = 0; d < D; ++d) x.set({1, 0, d}, NAN);  // padding
        const nn::HeadMemory memory = m.remember(Variable(x), Variable(x), {}, words);
        Tensor clean = x.clone();
        for (int64_t d = 0; d < D; ++d) clean.set({1, 0, d}, 0);
        const Tensor q =
            linear(Variable(clean), slice(m.in_proj_weight, 0, 0, D), slice(m.in_proj_bias, 0, 0, D)).value();
        const Tensor w = m(Variable(x), {.words = words, .weights = true}).weights.value();
        for (int64_t b = 0; b < B; ++b)
          for (int64_t h = 0; h < H; ++h)
            for (int64_t t = b; t < T - b; ++t) {
              auto query = [&](int64_t i) { return q.at({b, t, h * K + i}); };
              double e[T] = {}, p = 0, sum = 0;
              bool seen[T] = {};
              for (int64_t s = T - 1; s >= 0; --s) {
                seen[s] = words.at({b, s}) != 0 && (scope[0] == 'g' || (s <= t && (scope[6] == 0 || t - s <= 2)));
                if (!seen[s]) continue;
                for (int64_t i = 0; i < K; ++i)
                  e[s] += query(i) * memory.keys.value().at({b, h / (H / groups), s, i}) / std::sqrt(double(K));
                p = std::min(p + 1 / (1 + std::exp(-e[s])), 2.0 + T);
                const double at = std::min(p, 2.0);
                const auto below = std::min<int64_t>(static_cast<int64_t>(at), 1);
                const double f = at - static_cast<double>(below);
                for (int64_t i = 0; i < K; ++i)
                  e[s] += query(i) * ((1 - f) * table.at({below, i}) + f * table.at({below + 1, i}));
                sum += std::exp(e[s]);
              }
              for (int64_t s = 0; s < T; ++s)
                CHECK(w.at({b, h, t, s}) ==
                      doctest::Approx(seen[s] ? std::exp(e[s]) / sum : 0).epsilon(dtype == DType::f32 ? 1e-4 : 1e-10));
            }
      }
}
