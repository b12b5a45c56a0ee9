// Evaluators of heads give one context; groups of keys; norms of queries and keys.
#include <cmath>

#include "autograd/modes.h"

#include "nn/attention/around/query_key_norm.h"
#include "nn/attention/attention.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/observe.h"
#include "tensor/indexing.h"
#include "tensor/profile.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

// Output, gradient of the input, gradients of all parameters.
std::vector<Tensor> run(nn::MultiHeadAttention& m, const Tensor& x, const nn::HeadMasks& masks) {
  Variable in = leaf(x);
  nn::zero_grad(m);
  nn::MultiHeadOutput seen = m(in, masks);
  backward(weighted_sum(seen.output));
  std::vector<Tensor> out = gradients(m);
  out.push_back(in.grad()), out.push_back(seen.output.value());
  return out;
}

struct Kernels {  // the names of kernels that ran
  Profile profile;
  bool ran(const std::string& name) const {
    for (const ProfileRow& row : profile.rows())
      if (row.operation == name) return true;
    return false;
  }
};

}  // namespace

TEST_CASE("evaluators: dense, tiled and chunked give the same output and gradients, dropout too" *
          holds("evaluators_agree")) {
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 0, 1, 1, 1, 1, 1}, {2, 5});
  for (DType dtype : {DType::f32, DType::f64})
    for (double dropped : {0.0, 0.3})
      for (const char* scope : {"global", "causal", "window:1"})
        for (int64_t groups : {4, 2}) {
          nn::MultiHeadOptions o{
              .model = 8, .heads = 4, .dropout = dropped, .scope = nn::stage_from(nn::Kind::scope, scope)};
          o.kv_heads = groups, o.position.name = "rope";
          Tensor x = random({2, 5, 8}, 7, dtype);
          o.evaluator = {.name = "dense"};
          auto dense = drawn<nn::MultiHeadAttention>(o, dtype);
          std::vector<Tensor> wanted = run(dense, x, {.words = words});
          double near = dtype == DType::f32 ? 1e-5 : 1e-12;
          for (std::string name : {"auto", "tiled", "chunked:2"}) {
            if (name == "chunked:2" && dropped > 0) continue;  // draws a chunk at a time
            o.evaluator = nn::stage_from(nn::Kind::evaluator, name);
            auto m = drawn<nn::MultiHeadAttention>(o, dtype);
            CHECK(apart(run(m, x, {.words = words}), wanted) < near);
          }
        }
}

TEST_CASE("evaluators: a key whose score overflowed gets the whole weight, two of them a half each") {
  Tensor q = random({1, 3, 1}, 1), k = random({1, 9, 1}, 2), v = random({1, 9, 4}, 3);
  q.set({0, 0, 0}, 1e30), q.set({0, 1, 0}, -1e30);                          // query 2 is an ordinary one
  k.set({0, 1, 0}, 1e30), k.set({0, 7, 0}, 2e30), k.set({0, 4, 0}, -1e30);  // 1e60 is +inf in f32
  std::vector<Tensor> wanted;
  for (std::string score : {"dot", "scaled_dot"})
    for (std::string name : {"dense", "auto", "tiled", "chunked:1", "chunked:2"}) {
      CAPTURE(name);
      auto m = make<nn::Attention>(
          {.score = {.name = score, .query = 1, .key = 1}, .evaluator = nn::stage_from(nn::Kind::evaluator, name)}, 1);
      Variable query = leaf(q), keys = leaf(k), values = leaf(v);
      Variable seen = m(query, m.remember(keys, values)).context;
      backward(weighted_sum(seen));
      std::vector<Tensor> got{seen.value(), query.grad(), keys.grad(), values.grad()};
      for (const Tensor& x : got)
        for (double number : x.to_vector()) REQUIRE(std::isfinite(number));
      for (int64_t c = 0; c < 4; ++c) {
        CHECK(got[0].at({0, 0, c}) == doctest::Approx((v.at({0, 1, c}) + v.at({0, 7, c})) / 2).epsilon(1e-6));
        CHECK(got[0].at({0, 1, c}) == doctest::Approx(v.at({0, 4, c})).epsilon(1e-6));
      }
      if (wanted.empty()) wanted = got;
      CHECK(apart(got, wanted) < 1e-5);
    }
}

TEST_CASE("evaluators: values near the largest number have the mean that dense gives, in every exact evaluator") {
  for (DType dtype : {DType::f32, DType::f64}) {
    const double big = dtype == DType::f32 ? 2e38 : 1e308;
    const Variable query(random({2, 3, 4}, 1, dtype)), keys(random({2, 100, 4}, 2, dtype));
    const Variable values(mul(add(mul(random({2, 100, 4}, 3, dtype), 0.01), 1), big));
    auto context = [&](const std::string& evaluator) {
      auto m = make<nn::Attention>(
          {.score = {.name = "scaled_dot", .query = 4, .key = 4}, .evaluator = {.name = evaluator}}, 1);
      nn::convert(m, dtype);
      return m.evaluator && !m.evaluator->exact() ? Tensor() : m(query, m.remember(keys, values)).context.value();
    };
    const Tensor dense = context("dense");
    CHECK(all_finite(dense));
    std::vector<std::string> names{"auto"};
    for (const nn::CatalogueEntry& row : nn::stage_entries(nn::Kind::evaluator))
      if (row.evaluator) names.push_back(row.name);
    for (const std::string& name : names) {
      CAPTURE(name);
      if (const Tensor c = context(name); c.defined())
        CHECK(relative_error(mul(c, 1 / big), mul(dense, 1 / big)) < (dtype == DType::f32 ? 1e-5 : 1e-13));
    }
  }
}

// The fused kernel runs unless the weights are asked for, or the scores are no products under a softmax.
TEST_CASE("evaluators: the fused one runs unless somebody looks, or the scores are no products under a softmax" *
          holds("chosen_unless_somebody_looks")) {
  Variable x(random({1, 4, 8}, 7));
  Variable bias(Tensor::zeros({1, 2, 4, 4}), Variable::kRequiresGrad);
  auto plain = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 2}, DType::f32);
  auto tiled = [&](nn::MultiHeadAttention& m, const nn::HeadMasks& masks) {
    Kernels kernels;
    nn::MultiHeadOutput seen = m(x, masks);
    bool ran = kernels.ran("tiled_attention");
    CHECK(kernels.ran("softmax") == !ran);
    CHECK((!ran || !seen.weights.defined()));
    return ran;
  };
  CHECK(tiled(plain, {}));
  CHECK(tiled(plain, {.bias = bias.detach()}));
  CHECK_FALSE(tiled(plain, {.weights = true}));
  CHECK(tiled(plain, {.bias = bias}));
  {
    int seen = 0;
    nn::Observe observe([&](const nn::AttentionSeen&) { ++seen; });
    CHECK_FALSE(tiled(plain, {}));
    CHECK(seen == 1);
  }
  std::vector<std::string> names;
  plain.output_hooks.push_back([&](std::string_view name, const Variable&) {
    names.emplace_back(name);
    return Variable();
  });
  CHECK_FALSE(tiled(plain, {}));
  CHECK(names == std::vector<std::string>{"output", "weights"});
  CHECK_FALSE(plain(x).weights.value().shape() == Shape{});
  auto cosine = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 2, .score = {.name = "cosine"}}, DType::f32);
  CHECK_FALSE(tiled(cosine, {}));
  auto shaw = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 2, .position = {.name = "shaw"}}, DType::f32);
  CHECK_FALSE(tiled(shaw, {}));
  auto dense = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 2, .evaluator = {.name = "dense"}}, DType::f32);
  CHECK_FALSE(tiled(dense, {}));
  CHECK_FALSE(dense(x).weights.defined());
}

// Chunks of any size give the context and the weights of dense attention, bit by bit.
TEST_CASE("evaluators: chunks of any size give the bits of dense, weights too" * holds("chunks_change_no_bit")) {
  for (std::string position : {"none", "rope", "shaw"}) {
    nn::MultiHeadOptions o{.model = 8, .heads = 2, .scope = {.name = "causal"}, .evaluator = {.name = "dense"}};
    o.position.name = position;
    auto dense = drawn<nn::MultiHeadAttention>(o, DType::f32);
    Variable x(random({2, 11, 8}, 7));
    nn::HeadMasks masks{.allowed = Tensor::from_bools(std::vector<int>(121, 1), {11, 11}),
                        .bias = Variable(random({2, 11, 11}, 3)),
                        .weights = true};
    masks.allowed.set({5, 2}, 0);
    nn::MultiHeadOutput wanted = dense(x, masks);
    for (int64_t chunk : {1, 2, 3, 10, 11, 50}) {
      o.evaluator = {.name = "chunked", .settings = {{"chunk", chunk}}};
      auto m = drawn<nn::MultiHeadAttention>(o, DType::f32);
      nn::MultiHeadOutput seen = m(x, masks);
      CHECK(bit_equal(seen.output.value(), wanted.output.value()));
      CHECK(bit_equal(seen.weights.value(), wanted.weights.value()));
    }
  }
}

// It is multi-head attention whose heads share the keys and values of their group.
TEST_CASE("groups: multi-head attention with tied projections, head h in group h / (H / G)" *
          holds("groups_are_tied_heads")) {
  Tensor x = random({2, 5, 12}, 7, DType::f64);
  auto whole = drawn<nn::MultiHeadAttention>({.model = 12, .heads = 6}),
       named = drawn<nn::MultiHeadAttention>({.model = 12, .heads = 6, .kv_heads = 6});
  CHECK(bit_equal(whole(Variable(x)).output.value(), named(Variable(x)).output.value()));
  for (int64_t groups : {1, 2, 3}) {
    auto few = drawn<nn::MultiHeadAttention>({.model = 12, .heads = 6, .kv_heads = groups});
    REQUIRE(few.in_proj_weight.shape() == Shape{12 + 2 * groups * 2, 12});
    CHECK(nn::count_parameters(few) == 12 * 12 + 12 + (12 + 4 * groups) * 13);
    // Rows of the tied one: each group's rows, once for every head of the group, side by side.
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < 12; ++i) rows.push_back(i);
    for (int64_t part : {0, 1})
      for (int64_t h = 0; h < 6; ++h)
        for (int64_t j = 0; j < 2; ++j) rows.push_back(12 + part * 2 * groups + h / (6 / groups) * 2 + j);
    Tensor index = Tensor::from(rows, {36});
    auto tied = drawn<nn::MultiHeadAttention>({.model = 12, .heads = 6});
    tied.in_proj_weight.set_value(index_select(few.in_proj_weight.value(), index));
    tied.in_proj_bias.set_value(index_select(few.in_proj_bias.value(), index));
    tied.out_proj.weight.set_value(few.out_proj.weight.value());
    tied.out_proj.bias.set_value(few.out_proj.bias.value());
    for (bool shown : {false, true}) {
      nn::MultiHeadOutput a = few(Variable(x), {.weights = shown}), b = tied(Variable(x), {.weights = shown});
      CHECK(max_abs_difference(a.output.value(), b.output.value()) < 1e-12);
    }
  }
}

TEST_CASE("groups: one for all heads, with keys and values of other widths, is multi-query attention") {
  auto m = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 4, .key = 3, .value = 5, .kv_heads = 1});
  CHECK(m.k_proj_weight.shape() == Shape{2, 3});
  CHECK(m.v_proj_weight.shape() == Shape{2, 5});
  Variable key(random({1, 6, 3}, 2, DType::f64)), value(random({1, 6, 5}, 3, DType::f64));
  nn::HeadMemory memory = m.remember(key, value);
  CHECK(memory.keys.shape() == Shape{1, 1, 6, 2});
  Variable query(random({1, 4, 8}, 1, DType::f64));
  nn::MultiHeadOutput seen = m(query, memory), shown = m(query, memory, {.weights = true});
  CHECK(max_abs_difference(seen.output.value(), shown.output.value()) < 1e-12);
  CHECK(shown.weights.shape() == Shape{1, 4, 4, 6});
}

// Longer queries and keys change nothing, and with norm weights of 1 no score exceeds the root of the head's width.
TEST_CASE("query-key norm: longer queries and keys change nothing, and scores stay within the root of the width" *
          holds("length_of_queries_and_keys_does_not_count")) {
  nn::MultiHeadOptions o{.model = 8, .heads = 2, .bias = false};
  o.around = {{"query_key_norm"}};
  auto m = drawn<nn::MultiHeadAttention>(o), longer = drawn<nn::MultiHeadAttention>(o);
  auto norms = [](nn::MultiHeadAttention& of) -> nn::QueryKeyNorm& {
    return dynamic_cast<nn::QueryKeyNorm&>(*of.around[0]);
  };
  for (auto* n : {&m, &longer})
    for (auto* norm : {&norms(*n).of_queries, &*norms(*n).of_keys})
      norm->weight.set_value(Tensor::ones({4}, DType::f64));
  Tensor w = longer.in_proj_weight.value().clone(), qk = w.slice(0, 0, 16);
  scale_into(qk, 1e3);
  longer.in_proj_weight.set_value(w);
  Variable x(random({2, 5, 8}, 7, DType::f64));
  CHECK(max_abs_difference(m(x).output.value(), longer(x).output.value()) < 1e-3);  // but for the norm's eps
  std::vector<double> scores;
  longer.score->output_hooks.push_back([&](std::string_view, const Variable& e) {
    scores = e.value().to_vector();
    return Variable();
  });
  longer(x);
  REQUIRE_FALSE(scores.empty());
  for (double e : scores) CHECK(std::abs(e) <= 2 + 1e-9);  // |q| = |k| = sqrt(4), over a root of 4
  // The weights do what they say: those of queries twice as large, scores twice as large.
  std::vector<double> before = scores;
  norms(longer).of_queries.weight.set_value(Tensor::full({4}, 2, DType::f64));
  longer(x);
  for (size_t i = 0; i < scores.size(); ++i) CHECK(scores[i] == doctest::Approx(2 * before[i]).epsilon(1e-9));
}

// A row with dropout sums to 1 only on average, and without training nothing is dropped.
TEST_CASE("attention dropout: rows that read do not sum to 1, their mean does; without training nothing is dropped" *
          holds("dropped_rows_sum_to_one_on_average")) {
  nn::MultiHeadOptions o{.model = 4, .heads = 2, .bias = false, .dropout = 0.25};
  auto m = drawn<nn::MultiHeadAttention>(o);
  // Equal values of 1: what is read is the sum of the row.
  Tensor eye = Tensor::zeros({12, 4}, DType::f64);
  for (int64_t i = 0; i < 4; ++i) eye.set({8 + i, i}, 1);
  m.in_proj_weight.set_value(eye), m.out_proj.weight.set_value(Tensor::eye(4, DType::f64));
  Variable x(Tensor::ones({64, 16, 4}, DType::f64));
  Tensor sums = m(x).output.value();
  double total = 0, most_off = 0;
  for (double s : sums.to_vector()) total += s, most_off = std::max(most_off, std::abs(s - 1));
  CHECK(most_off > 0.1);
  CHECK(total / static_cast<double>(sums.count()) == doctest::Approx(1).epsilon(0.02));
  m.weight_dropout.training = false;
  CHECK(max_abs_difference(m(x).output.value(), x.value()) < 1e-12);
}
