// Positions inside a head and on its scores: Shaw, Transformer-XL, T5, ALiBi, RoPE, none; and that a cache is the
// parallel pass with each of them.
#include <cmath>

#include "autograd/modes.h"

#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/reads_words.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/shaw.h"
#include "nn/attention/positions/t5.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

Variable rotated(const Tensor& x, nn::RopeLayout layout, int64_t first) {
  return nn::rotate_pairs(Variable(x), {.layout = layout, .first = first});
}

double dot(const Tensor& a, const Tensor& b) { return sum(Variable(a) * Variable(b)).item(); }

Tensor reversed(const Tensor& x) {  // words in the opposite order
  std::vector<int64_t> order;
  for (int64_t t = x.size(1) - 1; t >= 0; --t) order.push_back(t);
  return index_select(x, 1, Tensor::from(order, {x.size(1)}));
}

}  // namespace

// Turning changes no length, leaves place 0 as it is, and makes products depend on the distance alone.
TEST_CASE("rope: no length changes, place 0 is the identity, products depend on the distance alone" *
          holds("turning_keeps_length_and_distance")) {
  Tensor q = random({1, 1, 1, 8}, 1, DType::f64), k = random({1, 1, 1, 8}, 2, DType::f64);
  for (nn::RopeLayout layout : {nn::RopeLayout::halves, nn::RopeLayout::interleaved}) {
    CHECK(bit_equal(rotated(q, layout, 0).value(), q));
    for (int64_t p : {1, 63, 64, 65, 4000}) {
      Tensor y = rotated(q, layout, p).value();
      CHECK(dot(y, y) == doctest::Approx(dot(q, q)).epsilon(1e-12));
      CHECK(max_abs_difference(y, q) > 1e-2);
    }
    for (int64_t apart : {0, 1, 7, 100}) {
      double near = dot(rotated(q, layout, 0).value(), rotated(k, layout, apart).value());
      for (int64_t m : {1, 60, 500, -1, -3, -63, -64, -65, -4000}) {
        CHECK(dot(rotated(q, layout, m).value(), rotated(k, layout, m + apart).value()) ==
              doctest::Approx(near).epsilon(1e-9));
        auto placed = [&](const Tensor& x, int64_t at) {  // the same place, given word by word
          nn::RopeOptions o{.layout = layout, .at = Tensor::from(std::vector<int64_t>{at}, {1, 1})};
          CHECK(bit_equal(nn::rotate_pairs(Variable(x), o).value(), rotated(x, layout, at).value()));
          return nn::rotate_pairs_composed(Variable(x), o).value();
        };
        CHECK(dot(placed(q, m), placed(k, m + apart)) == doctest::Approx(near).epsilon(1e-9));
      }
      if (apart > 0) {
        double back = dot(rotated(q, layout, apart).value(), rotated(k, layout, 0).value());
        CHECK(std::abs(back - near) > 1e-3);  // the direction counts
      }
    }
  }
}

// The angles are those of the formula, pair by pair, also in a call that begins at a later place.
TEST_CASE("rope: the angles, pair by pair; what stands in row p is what a call from p gives" * holds("golden_angles")) {
  Tensor x = random({2, 130, 3, 6}, 4, DType::f64);
  Tensor y = rotated(x, nn::RopeLayout::interleaved, 5).value(), z = rotated(x, nn::RopeLayout::halves, 5).value();
  for (int64_t t : {0, 58, 59, 60, 129})
    for (int64_t i = 0; i < 3; ++i) {
      double angle = static_cast<double>(t + 5) * std::pow(10000.0, -2.0 * static_cast<double>(i) / 6);
      double c = std::cos(angle), s = std::sin(angle);
      auto at = [&](const Tensor& v, int64_t j) { return v.at({1, t, 2, j}); };
      CHECK(at(y, 2 * i) == doctest::Approx(at(x, 2 * i) * c - at(x, 2 * i + 1) * s).epsilon(1e-12));
      CHECK(at(y, 2 * i + 1) == doctest::Approx(at(x, 2 * i) * s + at(x, 2 * i + 1) * c).epsilon(1e-12));
      CHECK(at(z, i) == doctest::Approx(at(x, i) * c - at(x, i + 3) * s).epsilon(1e-12));
      CHECK(at(z, i + 3) == doctest::Approx(at(x, i) * s + at(x, i + 3) * c).epsilon(1e-12));
    }
  for (int64_t t : {0, 60, 129})
    CHECK(bit_equal(rotated(x.slice(1, t, t + 1), nn::RopeLayout::halves, 5 + t).value(),
                    z.slice(1, t, t + 1).contiguous()));
}

// Both layouts are the same up to a fixed permutation, and each is wrong with weights trained for the other.
TEST_CASE("rope: halves are interleaved pairs after a fixed permutation; either is wrong with the other's weights" *
          holds("halves_are_permuted_pairs")) {
  Tensor x = random({2, 5, 2, 8}, 4, DType::f64), order = nn::rope_permutation(8);
  Tensor moved = rotated(index_select(x, 3, order), nn::RopeLayout::halves, 3).value();
  Tensor y = rotated(x, nn::RopeLayout::interleaved, 3).value();
  CHECK(bit_equal(moved, index_select(y, 3, order)));
  CHECK(max_abs_difference(rotated(x, nn::RopeLayout::halves, 3).value(), y) > 1e-2);
  // Weights of a model with one layout, in one with the other: wrong; with rows of q and k permuted: right. A trap:
  // transformers#25199, TinyLlama#24.
  auto pairs = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 1, .position = {.name = "rope_interleaved"}}),
       halves = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 1, .position = {.name = "rope"}});
  Variable words(random({1, 6, 8}, 9, DType::f64));
  Tensor wanted = pairs(words).output.value();
  CHECK(max_abs_difference(halves(words).output.value(), wanted) > 1e-3);
  std::vector<int64_t> rows = {};
  for (int64_t part = 0; part < 3; ++part)
    for (int64_t i = 0; i < 8; ++i) rows.push_back(8 * part + (part < 2 ? int64_t(order.at({i})) : i));
  Tensor index = Tensor::from(rows, {24});
  halves.in_proj_weight.set_value(index_select(halves.in_proj_weight.value(), index));
  halves.in_proj_bias.set_value(index_select(halves.in_proj_bias.value(), index));
  CHECK(max_abs_difference(halves(words).output.value(), wanted) < 1e-12);
}

// The fused operation agrees with the composed one, gradients too, and turns back what it turned.
TEST_CASE("rope: the fused operation is the composed one, gradients too, and turns back what it turned" *
          holds("twin_turns_the_same")) {
  for (nn::RopeLayout layout : {nn::RopeLayout::halves, nn::RopeLayout::interleaved})
    for (DType dtype : {DType::f32, DType::f64}) {
      nn::RopeOptions o{.layout = layout, .first = 70};
      Variable a = leaf({2, 9, 3, 6}, 1, dtype), b = leaf(a.value());
      Variable y = nn::rotate_pairs(a, o), z = nn::rotate_pairs_composed(b, o);
      backward(weighted_sum(y)), backward(weighted_sum(z));
      double near = dtype == DType::f32 ? 1e-5 : 1e-12;
      CHECK(max_abs_difference(y.value(), z.value()) < near);
      CHECK(max_abs_difference(a.grad(), b.grad()) < near);
      o.back = true;
      CHECK(max_abs_difference(nn::rotate_pairs(y, o).value(), a.value()) < near);
    }
}

// Values are never turned, only queries and keys.
TEST_CASE("rope: values are never turned" * holds("values_are_not_turned")) {
  auto m = drawn<nn::MultiHeadAttention>({.model = 4, .heads = 1, .position = {.name = "rope"}});
  Variable x(random({1, 5, 4}, 2, DType::f64));
  nn::HeadMemory here = m.remember(x, x), there = m.remember(x, x, {.first_key = 9});
  CHECK(bit_equal(here.values.value().contiguous(), there.values.value().contiguous()));
  CHECK(max_abs_difference(here.keys.value(), there.keys.value()) > 1e-2);
}

// The slopes are the published ones, also for numbers of heads between powers of two.
TEST_CASE("ALiBi: the slopes, for powers of two and between them" * holds("golden_slopes")) {
  auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-5));
  };
  near(nn::alibi_slopes(8), {1 / 2.0, 1 / 4.0, 1 / 8.0, 1 / 16.0, 1 / 32.0, 1 / 64.0, 1 / 128.0, 1 / 256.0});
  near(nn::alibi_slopes(4), {.25, .0625, .015625, .00390625});
  near(nn::alibi_slopes(1), {1 / 256.0});
  near(nn::alibi_slopes(12), {1 / 2.0, 1 / 4.0, 1 / 8.0, 1 / 16.0, 1 / 32.0, 1 / 64.0, 1 / 128.0, 1 / 256.0, .707107,
                              .353553, .176777, .088388});
  for (int64_t h : {3, 5, 7, 13}) CHECK(nn::alibi_slopes(h).size() == static_cast<size_t>(h));
}

// The bias is minus the slope times the distance, at any place.
TEST_CASE("ALiBi: the bias is minus the slope times the distance, whatever the place" * holds("bias_is_the_distance")) {
  auto m = make<nn::AlibiBias>({.heads = 2}, 1);
  auto from = [&](int64_t first, DType dtype) {
    return m({.queries = 3, .keys = 9, .first_query = first}, dtype).value();
  };
  REQUIRE(from(4, DType::f32).shape() == Shape{1, 2, 3, 9});
  Tensor bias = from(4, DType::f64).select(0, 0), later = from(5, DType::f64).select(0, 0);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t t = 0; t < 3; ++t)
      for (int64_t s = 0; s < 9; ++s) {
        CHECK(bias.at({h, t, s}) == -nn::alibi_slopes(2)[size_t(h)] * std::abs(double(s - 4 - t)));
        if (s > 0) CHECK(later.at({h, t, s}) == bias.at({h, t, s - 1}));
      }
  // Under a causal mask + m_h j (labml's) is the same by a shift of each row; without one it is not.
  Tensor grows = Tensor::zeros({1, 2, 1, 5}, DType::f64);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t s = 0; s < 5; ++s) grows.set({0, h, 0, s}, nn::alibi_slopes(2)[size_t(h)] * double(s));
  Variable x(random({1, 5, 4}, 2, DType::f64)), whole = m({.queries = 5, .keys = 5}, DType::f64);
  for (const char* scope : {"causal", "global"}) {
    auto attention = drawn<nn::MultiHeadAttention>({.model = 4, .heads = 2, .scope = {.name = scope}});
    double apart = max_abs_difference(attention(x, {.bias = whole}).output.value(),
                                      attention(x, {.bias = Variable(grows)}).output.value());
    CHECK((apart < 1e-12) == (std::string(scope) == "causal"));
  }
}

// Distances fall into the published buckets, in both directions and in one.
TEST_CASE("T5: the buckets, in both directions and in one" * holds("golden_buckets")) {
  const std::vector<std::pair<int64_t, int64_t>> both{{0, 0},    {-1, 1},   {1, 17},   {-7, 7},     {-8, 8},
                                                      {8, 24},   {-12, 9},  {-16, 10}, {-23, 11},   {-32, 12},
                                                      {-46, 13}, {-64, 14}, {-91, 15}, {-1000, 15}, {1000, 31}};
  for (auto [distance, bucket] : both) CHECK(nn::t5_bucket(distance) == bucket);
  const std::vector<std::pair<int64_t, int64_t>> past{{-15, 15}, {-16, 16},  {-20, 17}, {-32, 21},
                                                      {-64, 26}, {-127, 31}, {0, 0},    {3, 0}};
  for (auto [distance, bucket] : past) CHECK(nn::t5_bucket(distance, {.bidirectional = false}) == bucket);
}

// The bias is the table's row for the distance, added without a scale; only rows whose distances occur get a gradient.
TEST_CASE("T5: the bias is the table's row of the distance, learns only in buckets that occur, and is not scaled" *
          holds("buckets_that_occur_learn")) {
  auto m = make<nn::T5Bias>({.settings = {{"buckets", 8}, {"max_distance", 6}}, .heads = 3}, 1);
  Variable bias = m({.queries = 4, .keys = 6, .first_query = 2});
  REQUIRE(bias.shape() == Shape{1, 3, 4, 6});
  for (int64_t t = 0; t < 4; ++t)
    for (int64_t s = 0; s < 6; ++s)
      for (int64_t h = 0; h < 3; ++h)
        CHECK(bias.value().at({0, h, t, s}) ==
              m.weight.value().at({nn::t5_bucket(s - t - 2, {.buckets = 8, .max_distance = 6}), h}));
  auto attention = drawn<nn::MultiHeadAttention>({.model = 6, .heads = 3, .score = {.name = "dot"}}, DType::f32);
  Variable x(random({2, 3, 6}, 5));
  backward(weighted_sum(attention(x, {.bias = m({.queries = 3, .keys = 3})}).output));
  for (int64_t bucket = 0; bucket < 8; ++bucket) {  // distances -2 .. 2
    bool occurs = false;
    for (int64_t r = -2; r <= 2; ++r) occurs |= nn::t5_bucket(r, {.buckets = 8, .max_distance = 6}) == bucket;
    CHECK(all_zero(m.weight.grad().select(0, bucket)) != occurs);
  }
  // "dot" applies no root: the same weights as scaled_dot with queries sqrt(K) as long.
  auto scaled = drawn<nn::MultiHeadAttention>({.model = 6, .heads = 3}, DType::f32);
  Tensor longer = scaled.in_proj_weight.value().clone(), q = longer.slice(0, 0, 6);
  scale_into(q, std::sqrt(2.0));
  Tensor longer_bias = scaled.in_proj_bias.value().clone(), qb = longer_bias.slice(0, 0, 6);
  scale_into(qb, std::sqrt(2.0));
  scaled.in_proj_weight.set_value(longer), scaled.in_proj_bias.set_value(longer_bias);
  nn::HeadMasks masks{.bias = m({.queries = 3, .keys = 3}).detach()};
  CHECK(max_abs_difference(scaled(x, masks).output.value(), attention(x, masks).output.value()) < 1e-5);
}

// Distances count with their sign, and beyond the limit all share the last vector.
TEST_CASE("Shaw: the formula, the sign of the distance and its clipping" *
          holds("distances_are_clipped_with_their_sign")) {
  for (const char* name : {"shaw", "shaw_keys"}) {
    auto m = drawn<nn::MultiHeadAttention>(
        {.model = 4, .heads = 2, .position = {.name = name, .settings = {{"max_distance", 2}}}});
    auto& shaw = static_cast<nn::ShawPositions&>(*m.position);
    Tensor x = random({1, 5, 4}, 5, DType::f64);
    nn::MultiHeadOutput seen = m(Variable(x), {.weights = true});
    Tensor all = linear(Variable(x), m.in_proj_weight, m.in_proj_bias).value();
    bool values = std::string(name) == "shaw";
    CHECK(shaw.values.defined() == values);
    std::vector<double> context;
    for (int64_t t = 0; t < 5; ++t)
      for (int64_t h = 0; h < 2; ++h) {
        std::vector<double> w;
        double total = 0;
        for (int64_t s = 0; s < 5; ++s) {
          int64_t r = std::clamp<int64_t>(s - t, -2, 2) + 2;
          double e = 0;
          for (int64_t j = 0; j < 2; ++j)
            e += all.at({0, t, 2 * h + j}) * (all.at({0, s, 4 + 2 * h + j}) + shaw.keys.value().at({r, j}));
          w.push_back(std::exp(e / std::sqrt(2.0)));
          total += w.back();
        }
        for (int64_t j = 0; j < 2; ++j) {
          double c = 0;
          for (int64_t s = 0; s < 5; ++s) {
            int64_t r = std::clamp<int64_t>(s - t, -2, 2) + 2;
            c += w[size_t(s)] / total * (all.at({0, s, 8 + 2 * h + j}) + (values ? shaw.values.value().at({r, j}) : 0));
          }
          context.push_back(c);
        }
      }
    Tensor wanted = m.out_proj(Variable(Tensor::from(context, {1, 5, 4}))).value();
    CHECK(max_abs_difference(seen.output.value(), wanted) < 1e-12);
  }
}

// With a limit of 0 the order has no effect; with more it has, the same at any place.
TEST_CASE("Shaw: with the distance 0 there is no order; with more there is, and it does not depend on the place" *
          holds("no_distance_is_no_order")) {
  Tensor x = random({1, 6, 4}, 5, DType::f64);
  for (int64_t distance : {0, 1, 3}) {
    auto m = drawn<nn::MultiHeadAttention>(
        {.model = 4, .heads = 2, .position = {.name = "shaw", .settings = {{"max_distance", distance}}}});
    Tensor forward = m(Variable(x)).output.value(), turned = m(Variable(reversed(x))).output.value();
    CHECK((max_abs_difference(reversed(turned), forward) < 1e-12) == (distance == 0));
    auto& shaw = *m.position;
    Variable q(random({1, 2, 3, 2}, 6, DType::f64));
    auto scores = [&](int64_t keys, int64_t first) {
      return shaw.bias(q, {.queries = 3, .keys = keys, .first_query = first}, 1).value();
    };
    Tensor here = scores(8, 2), later = scores(9, 3);
    CHECK(max_abs_difference(later.slice(3, 1, 9), here) < 1e-12);
  }
}

// The shifted products are those of loops over queries, keys and entries.
TEST_CASE("xl: the formula, and the shifted products are a loop over queries, keys and entries" *
          holds("shift_is_the_loop")) {
  int64_t H = 3, K = 2;
  auto xl = make<nn::XLPositions>({.name = "xl", .key = K, .heads = H}, 3);
  nn::convert(xl, DType::f64);
  uint64_t seed = 20;
  for (auto& p : nn::named_parameters(xl)) p.variable.set_value(random(p.variable.shape(), ++seed, DType::f64));
  // r_d, written again: all sines, then all cosines, of d / 10000^(2i / 6).
  auto r = [&](int64_t d, int64_t c) {
    double angle = static_cast<double>(d) / std::pow(10000.0, 2.0 * static_cast<double>(c % 3) / 6);
    return c < 3 ? std::sin(angle) : std::cos(angle);
  };
  for (int64_t T : {1, 2, 5})
    for (int64_t S : {1, 2, 4, 7})
      for (const auto& first : {std::pair<int64_t, int64_t>{0, 0}, {3, 0}, {9, 4}}) {
        const int64_t first_query = first.first, first_key = first.second;
        CAPTURE(T);
        CAPTURE(S);
        CAPTURE(first_query);
        Variable q(random({2, T, H, K}, 5, DType::f64));
        nn::Places places{.queries = T, .keys = S, .first_query = first_query, .first_key = first_key};
        Tensor turned = xl.turn_query(q, places).value();
        Tensor scores = xl.bias(transpose(Variable(turned), 1, 2), places, 0.5).value();
        REQUIRE(scores.shape() == Shape{2, H, T, S});
        std::vector<double> wanted;
        for (int64_t b = 0; b < 2; ++b)
          for (int64_t h = 0; h < H; ++h)
            for (int64_t t = 0; t < T; ++t)
              for (int64_t s = 0; s < S; ++s) {
                double e = 0;
                for (int64_t j = 0; j < K; ++j) {
                  double projected = 0;
                  for (int64_t c = 0; c < H * K; ++c)
                    projected += xl.weight.value().at({h * K + j, c}) * r(first_query + t - first_key - s, c);
                  e += (q.value().at({b, t, h, j}) + xl.position.value().at({h, j})) * projected;
                  CHECK(turned.at({b, t, h, j}) ==
                        doctest::Approx(q.value().at({b, t, h, j}) + xl.content.value().at({h, j})));
                }
                wanted.push_back(0.5 * e);
              }
        CHECK(max_abs_difference(scores, Tensor::from(wanted, {2, H, T, S})) < 1e-12);
        // The same places, given one by one.
        nn::Places each = places;
        std::vector<int64_t> of_queries, of_keys;
        for (int64_t b = 0; b < 2; ++b) {
          for (int64_t t = 0; t < T; ++t) of_queries.push_back(first_query + t + 10 * b);
          for (int64_t s = 0; s < S; ++s) of_keys.push_back(first_key + s + 10 * b);
        }
        each.query_at = Tensor::from(of_queries, {2, T}), each.key_at = Tensor::from(of_keys, {2, S});
        Tensor again = xl.bias(transpose(Variable(turned), 1, 2), each, 0.5).value();
        CHECK(max_abs_difference(again, scores) < 1e-12);
      }
}

// With its two biases and its matrix of positions at zero it is attention without positions; otherwise places count,
// but only by their distances.
TEST_CASE("xl: with u, v and W_R at zero there are no positions; otherwise only distances count" *
          holds("nothing_learned_is_no_position")) {
  Tensor x = random({2, 6, 4}, 5, DType::f64);
  auto with = drawn<nn::MultiHeadAttention>({.model = 4, .heads = 2, .position = {.name = "xl"}}),
       without = drawn<nn::MultiHeadAttention>({.model = 4, .heads = 2});
  for (Variable* p : {&without.in_proj_weight, &without.in_proj_bias}) p->set_value(random(p->shape(), 1, DType::f64));
  with.in_proj_weight.set_value(without.in_proj_weight.value());
  with.in_proj_bias.set_value(without.in_proj_bias.value());
  with.out_proj.weight.set_value(without.out_proj.weight.value());
  with.out_proj.bias.set_value(without.out_proj.bias.value());
  auto seen = [&](nn::MultiHeadAttention& m, const Tensor& words, int64_t first) {
    return m(Variable(words), {.places = {.first_query = first, .first_key = first}}).output.value();
  };
  CHECK(max_abs_difference(seen(with, x, 0), seen(without, x, 0)) > 1e-3);
  CHECK(max_abs_difference(seen(with, x, 50), seen(with, x, 0)) < 1e-12);
  CHECK(max_abs_difference(reversed(seen(with, reversed(x), 0)), seen(with, x, 0)) > 1e-3);  // the sign counts
  auto& xl = static_cast<nn::XLPositions&>(*with.position);
  for (Variable* p : {&xl.content, &xl.position, &xl.weight}) {
    CHECK(max_abs_difference(seen(with, x, 0), seen(without, x, 0)) > 1e-3);
    p->set_value(Tensor::zeros(p->shape(), DType::f64));
  }
  CHECK(max_abs_difference(seen(with, x, 0), seen(without, x, 0)) < 1e-15);
}

// An encoder without positions sees a bag of words; a causal decoder does not, since its mask tells the order.
TEST_CASE("no position: an encoder without a mask sees a bag of words, a decoder with a mask does not" *
          holds("a_bag_without_a_mask")) {
  Tensor x = random({1, 6, 4}, 5, DType::f64);
  for (const char* scope : {"global", "causal"}) {
    auto m = drawn<nn::MultiHeadAttention>({.model = 4, .heads = 2, .scope = {.name = scope}});
    double apart = max_abs_difference(reversed(m(Variable(reversed(x))).output.value()), m(Variable(x)).output.value());
    CHECK((apart < 1e-12) == (std::string(scope) == "global"));
  }
}

TEST_CASE("cache: in words and in pieces it is the parallel pass, with every position and grouping" *
          holds("cache_is_the_parallel_pass")) {
  auto alibi = make<nn::AlibiBias>({.heads = 4}, 1);
  auto t5 = make<nn::T5Bias>({.settings = {{"buckets", 8}, {"max_distance", 6}}, .heads = 4, .causal = true}, 1);
  Tensor x = random({2, 9, 16}, 5);
  for (std::string name : {"none",
                           "rope",
                           "rope_interleaved",
                           "shaw",
                           "shaw_keys",
                           "xl",
                           "alibi",
                           "t5",
                           "skew",
                           "xpos",
                           "rope_linear",
                           "rope_ntk",
                           "rope_yarn",
                           "rope_2d:4",
                           "kerple",
                           "kerple_power",
                           "fire:3",
                           "dynamic_bias:3",
                           "polar",
                           "disentangled",
                           "longrope",
                           "longrope:kept=3",
                           "rope_mixed:4",
                           "forgetting"})
    for (int64_t groups : {4, 2, 1}) {
      CAPTURE(name);
      bool outside = name == "alibi" || name == "t5";
      auto m =
          drawn<nn::MultiHeadAttention>({.model = 16,
                                         .heads = 4,
                                         .score = {.name = name == "t5" ? "dot" : "scaled_dot"},
                                         .scope = {.name = "causal"},
                                         .kv_heads = groups,
                                         .position = nn::stage_from(nn::Kind::position, outside          ? "none"
                                                                                        : name[0] == 's' ? name + ":3"
                                                                                                         : name),
                                         .around = groups == 2 ? nn::Arounds{{"query_key_norm"}} : nn::Arounds{}},
                                        DType::f32);
      auto bias = [&](int64_t T, int64_t S, int64_t first) {
        nn::Places places{.queries = T, .keys = S, .first_query = first};
        return name == "alibi" ? alibi(places) : name == "t5" ? t5(places) : Variable();
      };
      NoGrad no_grad;
      Tensor parallel = m(Variable(x), {.bias = bias(9, 9, 0)}).output.value();
      nn::HeadCache cache;
      for (int64_t from = 0, to = 0; from < 9; from = to) {
        to = std::min<int64_t>(9, from == 2 ? 6 : from + 1);  // one word, but four at once after two
        Variable words(x.slice(1, from, to));
        cache.append(m.remember(words, words, {.first_key = from}));
        Tensor now =
            m(words, cache.view(), {.bias = bias(to - from, to, from), .places = {.first_query = from}}).output.value();
        CHECK(max_abs_difference(now, parallel.slice(1, from, to)) < 1e-5);
      }
      const int64_t marks = dynamic_cast<const nn::ReadsWords*>(m.position.get()) ? 4 : 0;  // a number for each head
      CHECK(cache.bytes() == 9 * 2 * (groups * ((m.position->widens() ? 8 : 4) + 4) + marks) * 4);
    }
}
