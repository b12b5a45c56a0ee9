// Multi-head attention: how heads are cut and joined, masks, causality, the past kept; what parity cannot say.
#include "nn/attention/structures/multi_head.h"

#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/scores/reduced_rank.h"
#include "nn/observe.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

// Biases that are not zero: a fresh one's are.
nn::MultiHeadAttention built(const nn::MultiHeadOptions& options, DType dtype = DType::f64, uint64_t seed = 1) {
  auto m = make<nn::MultiHeadAttention>(options, seed);
  nn::convert(m, dtype);
  for (auto& p : nn::named_parameters(m)) p.variable.set_value(random(p.variable.shape(), seed * 100 + 7, dtype));
  return m;
}

Tensor rows_of(const Tensor& x, const std::vector<int64_t>& order, int64_t axis) {
  return index_select(x, axis, Tensor::from(order, {static_cast<int64_t>(order.size())}));
}

// Rows i D/H of a matrix, taken in another order of the heads.
std::vector<int64_t> columns(const std::vector<int64_t>& heads, int64_t width) {
  std::vector<int64_t> out;
  for (int64_t h : heads)
    for (int64_t j = 0; j < width; ++j) out.push_back(h * width + j);
  return out;
}

const nn::HeadMasks kShown{.weights = true};

double value_at(const Tensor& x, int64_t b, int64_t t, int64_t j) { return x.at({b, t, j}); }

}  // namespace

// The output is a sum of one term per head, as the formula computes it head by head.
TEST_CASE("multi-head: the formula, head by head, and the sum over heads of head W_o,h" * holds("heads_add_up")) {
  auto m = built({.model = 6, .heads = 3});
  Tensor x = random({2, 4, 6}, 5, DType::f64);
  auto [output, weights] = m(Variable(x), kShown);
  auto affine = [&](int64_t b, int64_t t, int64_t row) {  // of q, k and v
    double sum = m.in_proj_bias.value().at({row});
    for (int64_t j = 0; j < 6; ++j) sum += m.in_proj_weight.value().at({row, j}) * value_at(x, b, t, j);
    return sum;
  };
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 4; ++t) {
      std::vector<double> total(6);
      for (int64_t j = 0; j < 6; ++j) total[static_cast<size_t>(j)] = m.out_proj.bias.value().at({j});
      for (int64_t h = 0; h < 3; ++h) {
        std::vector<double> w;
        double all = 0;
        for (int64_t s = 0; s < 4; ++s) {
          double e = 0;
          for (int64_t j = 2 * h; j < 2 * h + 2; ++j) e += affine(b, t, j) * affine(b, s, 6 + j);
          w.push_back(std::exp(e / std::sqrt(2.0)));
          all += w.back();
        }
        for (int64_t s = 0; s < 4; ++s) {
          CHECK(weights.value().at({b, h, t, s}) == doctest::Approx(w[static_cast<size_t>(s)] / all).epsilon(1e-10));
          for (int64_t j = 2 * h; j < 2 * h + 2; ++j)
            for (int64_t i = 0; i < 6; ++i)
              total[static_cast<size_t>(i)] +=
                  w[static_cast<size_t>(s)] / all * affine(b, s, 12 + j) * m.out_proj.weight.value().at({i, j});
        }
      }
      for (int64_t j = 0; j < 6; ++j)
        CHECK(value_at(output.value(), b, t, j) == doctest::Approx(total[static_cast<size_t>(j)]).epsilon(1e-10));
    }
}

// One head is attention with the scaled dot product, followed by the output matrix.
TEST_CASE("multi-head: one head is attention with the score scaled_dot, and the output projection stays" *
          holds("one_head_is_scaled_dot")) {
  auto m = built({.model = 4, .heads = 1});
  auto plain = make<nn::Attention>({.score = {.name = "scaled_dot", .query = 4, .key = 4}}, 1);
  Variable x(random({2, 3, 4}, 5, DType::f64));
  auto part = [&](int64_t k) {
    return linear(x, slice(m.in_proj_weight, 0, 4 * k, 4 * k + 4), slice(m.in_proj_bias, 0, 4 * k, 4 * k + 4));
  };
  nn::Attended seen = plain(part(0), plain.remember(part(1), part(2)));
  auto [output, weights] = m(x, kShown);
  CHECK(max_abs_difference(select(weights, 1, 0).value(), seen.weights.value()) < 1e-12);
  CHECK(max_abs_difference(output.value(), m.out_proj(seen.context).value()) < 1e-12);
  CHECK(max_abs_difference(output.value(), seen.context.value()) > 1e-3);
}

TEST_CASE("multi-head: a head is the score reduced_rank of rank D/H below a root") {
  auto m = built({.model = 6, .heads = 2, .bias = false});
  Variable x(random({2, 4, 6}, 5, DType::f64));
  Variable weights = m(x, kShown).weights;
  for (int64_t h = 0; h < 2; ++h) {
    auto low =
        make<nn::ReducedRankScore>({.name = "reduced_rank", .query = 6, .key = 6, .settings = {{"width", 3}}}, 1);
    nn::convert(low, DType::f64);
    low.query.weight.set_value(m.in_proj_weight.value().slice(0, 3 * h, 3 * h + 3).contiguous());
    low.key.weight.set_value(m.in_proj_weight.value().slice(0, 6 + 3 * h, 9 + 3 * h).contiguous());
    Variable scores = low(x, low.prepare(x));
    CHECK(max_abs_difference(select(weights, 1, h).value(), softmax(scores / std::sqrt(3.0), -1).value()) < 1e-12);
  }
}

// Heads in another order, with their columns of the output matrix, give the same output.
TEST_CASE("multi-head: heads in another order, with their columns of W_o, give the same output" *
          holds("heads_may_be_reordered")) {
  auto m = built({.model = 6, .heads = 3}), other = built({.model = 6, .heads = 3});
  std::vector<int64_t> order = columns({2, 0, 1}, 2), three;
  for (int64_t k = 0; k < 3; ++k)
    for (int64_t row : order) three.push_back(6 * k + row);
  other.in_proj_weight.set_value(rows_of(m.in_proj_weight.value(), three, 0));
  other.in_proj_bias.set_value(rows_of(m.in_proj_bias.value(), three, 0));
  other.out_proj.weight.set_value(rows_of(m.out_proj.weight.value(), order, 1));
  Variable x(random({2, 4, 6}, 5, DType::f64));
  CHECK(max_abs_difference(m(x).output.value(), other(x).output.value()) < 1e-12);
  CHECK(max_abs_difference(m(x, kShown).weights.value(), other(x, kShown).weights.value()) > 1e-3);
}

// The number of parameters does not depend on the number of heads.
TEST_CASE("multi-head: the number of parameters does not depend on the number of heads" *
          holds("size_does_not_depend_on_heads")) {
  for (int64_t heads : {1, 2, 3, 4, 6, 12}) {
    auto m = make<nn::MultiHeadAttention>({.model = 12, .heads = heads}, 1);
    CHECK(nn::count_parameters(m) == 4 * 12 * 12 + 4 * 12);
    auto bare = make<nn::MultiHeadAttention>({.model = 12, .heads = heads, .bias = false}, 1);
    CHECK(nn::count_parameters(bare) == 4 * 12 * 12);
  }
  auto widths = make<nn::MultiHeadAttention>({.model = 12, .heads = 2, .key = 5, .value = 7}, 1);
  CHECK(nn::count_parameters(widths) == 12 * (12 + 5 + 7 + 12) + 4 * 12);
}

TEST_CASE("multi-head: three matrices in the place of one, and heads wider than D/H") {
  const nn::MultiHeadOptions stacked{.model = 8, .heads = 2, .kv_heads = 1, .head = 6};
  nn::MultiHeadOptions parts = stacked;
  parts.apart = true;
  auto one = built(stacked), three = built(parts, kF64, 2);
  CHECK(to_string(one.in_proj_weight.shape()) == "[24, 8]");  // (H + 2 G) K
  CHECK(to_string(one.out_proj.weight.shape()) == "[8, 12]");
  CHECK(nn::count_parameters(one) == nn::count_parameters(three));
  auto rows = [](const Variable& all, int64_t from, int64_t to) { return all.value().slice(0, from, to).contiguous(); };
  three.q_proj_weight.set_value(rows(one.in_proj_weight, 0, 12)),
      three.q_proj_bias.set_value(rows(one.in_proj_bias, 0, 12));
  three.k_proj_weight.set_value(rows(one.in_proj_weight, 12, 18)),
      three.k_proj_bias.set_value(rows(one.in_proj_bias, 12, 18));
  three.v_proj_weight.set_value(rows(one.in_proj_weight, 18, 24)),
      three.v_proj_bias.set_value(rows(one.in_proj_bias, 18, 24));
  three.out_proj.weight.set_value(one.out_proj.weight.value()),
      three.out_proj.bias.set_value(one.out_proj.bias.value());
  const Variable x = leaf({2, 5, 8}, 31, kF64), y = leaf({2, 4, 8}, 32, kF64);
  CHECK(relative_error(three(x, kShown).output.value(), one(x, kShown).output.value()) <= 1e-12);
  CHECK(relative_error(three(x, kShown).weights.value(), one(x, kShown).weights.value()) <= 1e-12);
  CHECK(relative_error(three(x, y, y).output.value(), one(x, y, y).output.value()) <= 1e-12);
  auto memory = three.memory();
  {
    NoGrad guard;
    three.extend(slice(x, 1, 0, 3), *memory);
  }
  CHECK(to_string(memory->view().keys.shape()) == "[2, 1, 3, 6]");
  // A head of width 6 divides by sqrt(6), not by sqrt(8/2): the weights of the first head by hand.
  const Variable q = linear(x, three.q_proj_weight, three.q_proj_bias),
                 k = linear(x, three.k_proj_weight, three.k_proj_bias);
  const Variable by_hand = softmax(matmul(slice(q, 2, 0, 6), transpose(k, 1, 2)) / std::sqrt(6.0), -1);
  CHECK(relative_error(select(three(x, kShown).weights, 1, 0).value(), by_hand.value()) <= 1e-12);
}

// Without positions and without a causal mask, reordering the words reorders the outputs in the same way.
TEST_CASE("multi-head: without positions and without a causal mask, permuted words give permuted outputs" *
          holds("words_permuted_permute_the_output")) {
  auto m = built({.model = 6, .heads = 2});
  Tensor x = random({2, 5, 6}, 5, DType::f64);
  std::vector<int64_t> order{3, 0, 4, 2, 1};
  Tensor permuted = m(Variable(rows_of(x, order, 1))).output.value();
  CHECK(max_abs_difference(permuted, rows_of(m(Variable(x)).output.value(), order, 1)) < 1e-12);
  auto causal = built({.model = 6, .heads = 2, .scope = {.name = "causal"}});
  Tensor of_causal = causal(Variable(rows_of(x, order, 1))).output.value();
  CHECK(max_abs_difference(of_causal, rows_of(causal(Variable(x)).output.value(), order, 1)) > 1e-3);
}

TEST_CASE("multi-head: self, cross and remembered are one function, gradients too") {
  auto m = built({.model = 6, .heads = 2});
  Variable x = leaf({2, 4, 6}, 5, DType::f64), copy = leaf(x.value()), third = leaf(x.value());
  auto run = [&](const nn::MultiHeadOutput& seen, std::vector<Variable> inputs) {
    nn::zero_grad(m);
    backward(weighted_sum(seen.output) + weighted_sum(seen.weights));
    std::vector<Tensor> out = gradients(m);
    Tensor dx = inputs[0].grad().clone();
    for (size_t i = 1; i < inputs.size(); ++i) add_into(dx, inputs[i].grad());
    out.push_back(dx);
    out.push_back(seen.output.value());
    for (Variable& v : inputs) v.zero_grad();
    return out;
  };
  std::vector<Tensor> one = run(m(x, kShown), {x});
  std::vector<std::vector<Tensor>> others{run(m(x, x, x, kShown), {x}), run(m(x, copy, copy, kShown), {x, copy}),
                                          run(m(x, copy, third, kShown), {x, copy, third}),
                                          run(m(x, m.remember(copy, copy), kShown), {x, copy})};
  for (const std::vector<Tensor>& other : others)
    for (size_t i = 0; i < one.size(); ++i) CHECK(max_abs_difference(one[i], other[i]) < 1e-11);
}

TEST_CASE("multi-head: a query that may look at nothing gets the output's bias, and every gradient is finite") {
  auto m = built({.model = 6, .heads = 2}, DType::f32);
  Tensor words = Tensor::from_bools({0, 0, 0, 1, 0, 1}, {2, 3});
  Variable x = leaf({2, 3, 6}, 5);
  nn::MultiHeadOutput seen = m(x, {.words = words, .weights = true});
  for (int64_t t = 0; t < 3; ++t)
    CHECK(bit_equal(seen.output.value().select(0, 0).select(0, t).contiguous(), m.out_proj.bias.value()));
  CHECK(all_zero(seen.weights.value().select(0, 0)));
  backward(weighted_sum(seen.output) + weighted_sum(seen.weights));
  CHECK(all_finite(x.grad()));
  CHECK(all_zero(x.grad().select(0, 0)));
  for (const Tensor& g : gradients(m)) CHECK(all_finite(g));
  // The other sentence is as if it were alone.
  nn::MultiHeadOutput alone = m(Variable(x.value().slice(0, 1, 2)), {.words = words.slice(0, 1, 2), .weights = true});
  CHECK(bit_equal(alone.output.value(), seen.output.value().slice(0, 1, 2).contiguous()));
}

TEST_CASE("multi-head: masks of every rank, and all at once") {
  auto m = built({.model = 6, .heads = 2});
  Variable x(random({2, 3, 6}, 5, DType::f64));
  Tensor causal = nn::causal_mask({.queries = 3, .keys = 3});
  Tensor words = Tensor::from_bools({1, 1, 0, 1, 1, 1}, {2, 3});
  Tensor one = m(x, {.words = words, .allowed = causal}).output.value();
  auto same = [&](const nn::HeadMasks& masks) { CHECK(bit_equal(m(x, masks).output.value(), one)); };
  same({.words = words, .allowed = causal.unsqueeze(0)});                // [1, T, S]
  same({.allowed = nn::both(causal, words.unsqueeze(1))});               // [B, T, S]
  same({.allowed = nn::both(causal, words.unsqueeze(1)).unsqueeze(1)});  // [B, 1, T, S]
  same({.allowed = nn::both(causal, words.unsqueeze(1).unsqueeze(1)).expand({2, 2, 3, 3})});
  auto scoped = built({.model = 6, .heads = 2, .scope = {.name = "causal"}});
  CHECK(bit_equal(scoped(x, {.words = words}).output.value(), one));
  // A mask of its own for each head.
  Tensor heads = Tensor::from_bools({1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 2, 3, 3});
  Tensor w = m(x, {.allowed = heads, .weights = true}).weights.value();
  for (int64_t t = 0; t < 3; ++t) {
    CHECK(w.at({1, 0, t, t}) == 1);
    for (int64_t s = 0; s < 3; ++s) CHECK(w.at({1, 1, t, s}) > 0);
  }
}

// Cross-attention reads every word of the source, and the place of a query among the queries has no effect.
TEST_CASE("multi-head: cross-attention reads every word of the source, and the place of a query has no effect" *
          holds("own_position_means_nothing")) {
  auto m = built({.model = 6, .heads = 2, .key = 3, .value = 5});
  Variable query(random({2, 4, 6}, 5, DType::f64)), key(random({2, 7, 3}, 6, DType::f64)),
      value(random({2, 7, 5}, 7, DType::f64));
  nn::MultiHeadOutput seen = m(query, key, value, kShown);
  REQUIRE(seen.output.shape() == Shape{2, 4, 6});
  REQUIRE(seen.weights.shape() == Shape{2, 2, 4, 7});
  Tensor sums = sum(seen.weights, {-1}).value();
  for (double s : sums.to_vector()) CHECK(s == doctest::Approx(1));
  for (double w : seen.weights.value().to_vector()) CHECK(w > 0);  // no causal mask by mistake
  std::vector<int64_t> order{6, 0, 3, 2, 5, 1, 4};
  Tensor moved =
      m(query, Variable(rows_of(key.value(), order, 1)), Variable(rows_of(value.value(), order, 1))).output.value();
  CHECK(max_abs_difference(moved, seen.output.value()) < 1e-12);
  // The queries in another order: the outputs in that order.
  order = {2, 0, 3, 1};
  moved = m(Variable(rows_of(query.value(), order, 1)), key, value).output.value();
  CHECK(max_abs_difference(moved, rows_of(seen.output.value(), order, 1)) < 1e-12);
  // Equal values: every head reads that row.
  Tensor equal_rows = value.value().slice(1, 0, 1).expand({2, 7, 5}).contiguous();
  Tensor read = m(query, key, Variable(equal_rows)).output.value();
  for (int64_t t = 1; t < 4; ++t) CHECK(max_abs_difference(read.select(1, t), read.select(1, 0)) < 1e-12);
}

// Dropout changes the weights that are applied to the values, but not those that are shown.
TEST_CASE("multi-head: dropout changes the weights that are applied, not those that are shown" *
          holds("shown_weights_are_whole")) {
  auto m = built({.model = 8, .heads = 2, .dropout = 0.5}), sure = built({.model = 8, .heads = 2});
  Variable x(random({2, 16, 8}, 5, DType::f64));
  std::vector<Tensor> shown;
  nn::Observe observe([&](const nn::AttentionSeen& seen) { shown.push_back(seen.weights); });
  nn::MultiHeadOutput dropped = m(x), whole = sure(x);
  CHECK(bit_equal(dropped.weights.value(), whole.weights.value()));
  REQUIRE(shown.size() == 2);
  CHECK(shown[0].shape() == Shape{2, 2, 16, 16});
  CHECK(bit_equal(shown[0], whole.weights.value()));
  CHECK(max_abs_difference(dropped.output.value(), whole.output.value()) > 1e-3);
  nn::set_training(m, false);
  CHECK(bit_equal(m(x).output.value(), whole.output.value()));
  // The mean over many draws is what the whole weights read.
  nn::set_training(m, true);
  Tensor total = Tensor::zeros({2, 16, 8}, DType::f64);
  for (int i = 0; i < 400; ++i) add_into(total, m(x).output.value(), 1.0 / 400);
  CHECK(relative_error(total, whole.output.value()) < 0.1);
}

TEST_CASE("multi-head: other scores, scopes and normalisers of the algebra go with heads") {
  Variable x = leaf({2, 6, 6}, 5, DType::f64);
  auto scaled = built({.model = 6, .heads = 2}), dot = built({.model = 6, .heads = 2, .score = {.name = "dot"}});
  // Queries times sqrt(D/H), the width of a head: dot products are those of the scaled score.
  Tensor w = scaled.in_proj_weight.value().clone(), b = scaled.in_proj_bias.value().clone();
  Tensor wq = w.slice(0, 0, 6), bq = b.slice(0, 0, 6);
  copy_into(wq, mul(wq, 1 / std::sqrt(3.0)));
  copy_into(bq, mul(bq, 1 / std::sqrt(3.0)));
  dot.in_proj_weight.set_value(w);
  dot.in_proj_bias.set_value(b);
  CHECK(max_abs_difference(dot(x).output.value(), scaled(x).output.value()) < 1e-12);
  auto cosine = built({.model = 6, .heads = 2, .score = {.name = "cosine"}});
  for (double s : sum(cosine(x, kShown).weights, {-1}).value().to_vector()) CHECK(s == doctest::Approx(1));
  auto hard = built({.model = 6, .heads = 2, .normaliser = {.name = "argmax"}});
  for (double one : hard(x, kShown).weights.value().to_vector()) CHECK((one == 0 || one == 1));
  for (const char* name : {"window", "local_m"}) {
    auto near = built({.model = 6, .heads = 2, .scope = {.name = name, .settings = {{"window", 1}}}});
    Tensor weights = near(x, kShown).weights.value();
    for (int64_t t = 0; t < 6; ++t)
      for (int64_t s = 0; s < 6; ++s) CHECK((weights.at({1, 1, t, s}) > 0) == (std::abs(t - s) <= 1));
  }
}
