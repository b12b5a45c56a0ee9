// Tiled attention against its composed twin: every block size, mask and kind of grouping, both types, all gradients.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/allocator.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

using namespace heed;

namespace {

Tensor normal(const Shape& shape, uint64_t seed, DType dtype = DType::f32) {
  Generator rng(seed);
  return Tensor::normal(shape, rng, 0, 1, DType::f64).to(dtype);
}

struct Run {
  Tensor context, dq, dk, dv;
};
using Attention = Variable (*)(const Variable&, const Variable&, const Variable&, const AttentionTiles&);
Run run(Attention f, const std::vector<Tensor>& in, const AttentionTiles& o) {
  std::vector<Variable> x;
  for (const Tensor& t : in) x.emplace_back(t, Variable::kRequiresGrad);
  Variable c = f(x[0], x[1], x[2], o);
  backward(sum(c * Variable(normal(c.shape(), 99, c.dtype()))));
  return {c.value(), x[0].grad(), x[1].grad(), x[2].grad()};
}
// Against the largest number of each result, or 1.
double difference(const Tensor& a, const Tensor& b) {
  double largest = 1;
  for (double x : b.to_vector()) largest = std::max(largest, std::abs(x));
  return max_abs_difference(a, b) / largest;
}
double largest_difference(const Run& a, const Run& b) {
  return std::max(
      {difference(a.context, b.context), difference(a.dq, b.dq), difference(a.dk, b.dk), difference(a.dv, b.dv)});
}
bool same_bits(const Run& a, const Run& b) {
  return bit_equal(a.context, b.context) && bit_equal(a.dq, b.dq) && bit_equal(a.dk, b.dk) && bit_equal(a.dv, b.dv);
}
std::vector<Tensor> inputs(int64_t B, int64_t T, int64_t S, int64_t H, int64_t G, int64_t K, int64_t V, DType dtype) {
  return {normal({B, T, H, K}, 1, dtype), normal({B, S, G, K}, 2, dtype), normal({B, S, G, V}, 3, dtype)};
}
Tensor some_allowed(const Shape& shape, uint64_t seed) {
  Generator rng(seed);
  Tensor u = Tensor::uniform(shape, rng), mask = Tensor::empty(shape, DType::boolean);
  for (int64_t i = 0; i < mask.count(); ++i) mask.data<bool>()[i] = u.data<float>()[i] < 0.7f;
  return mask;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("tiled attention: what its twin gives, for every size of block, 1 and all and those that leave a rest") {
    for (DType dtype : {DType::f32, DType::f64}) {
      double near = dtype == DType::f32 ? 1e-5 : 1e-12;
      std::vector<Tensor> in = inputs(2, 19, 23, 4, 2, 5, 7, dtype);
      for (bool causal : {false, true}) {
        AttentionTiles o{.scale = 0.4, .causal = causal, .first = 3};
        Run wanted = run(tiled_attention_composed, in, o);
        for (int64_t queries : {0, 1, 4, 19, 40})
          for (int64_t keys : {0, 1, 2, 7, 16, 22, 23, 50}) {
            o.query_block = queries, o.key_block = keys;
            CAPTURE(queries);
            CAPTURE(keys);
            CAPTURE(causal);
            CHECK(largest_difference(run(tiled_attention, in, o), wanted) < near);
          }
      }
    }
  }

  TEST_CASE("tiled attention: masks and biases of every shape that broadcasts, widths around a vector") {
    std::vector<Shape> shapes{{}, {21}, {17, 1}, {17, 21}, {3, 1, 1}, {2, 1, 1, 21}, {2, 1, 17, 21}, {2, 3, 17, 21}};
    for (DType dtype : {DType::f32, DType::f64})
      for (int64_t width : {1, 8, 16, 17, 40, 64, 80}) {
        std::vector<Tensor> in = inputs(2, 17, 21, 3, 3, width, width + 1, dtype);
        for (const Shape& shape : shapes) {
          AttentionTiles o{.scale = 0.3, .query_block = 6, .key_block = 9};
          (shape.rank() == 4 ? o.allowed : o.bias) =
              shape.rank() == 4 ? some_allowed(shape, 5) : normal(shape, 6, dtype);
          CAPTURE(width);
          CAPTURE(to_string(shape));
          double near = dtype == DType::f32 ? 1e-5 : 1e-12;
          CHECK(largest_difference(run(tiled_attention, in, o), run(tiled_attention_composed, in, o)) < near);
        }
      }
  }

  TEST_CASE("tiled attention: long rows, in the blocks that it chooses itself") {
    using Lengths = std::vector<std::pair<int64_t, int64_t>>;
    for (auto [T, S] : Lengths{{100, 400}, {1, 1000}, {300, 1}, {250, 250}}) {
      // One key has the weight 1: its gradient is a sum of 300 differences that should be 0, which f32 leaves 1e-5
      // apart.
      DType dtype = S == 1 ? DType::f64 : DType::f32;
      std::vector<Tensor> in = inputs(1, T, S, 2, 1, 64, 64, dtype);
      for (bool causal : {false, true}) {
        AttentionTiles o{.scale = 0.125, .causal = causal, .first = std::max<int64_t>(0, S - T)};
        CHECK(largest_difference(run(tiled_attention, in, o), run(tiled_attention_composed, in, o)) < 1e-5);
      }
    }
  }

  TEST_CASE("tiled attention: a query that may look at nothing reads 0 and hands down nothing, in any block") {
    std::vector<Tensor> in = inputs(1, 5, 9, 2, 2, 4, 4, DType::f32);
    AttentionTiles o{.allowed = some_allowed({1, 1, 5, 9}, 3)};
    for (int64_t s = 0; s < 9; ++s) o.allowed.set({0, 0, 2, s}, 0);
    for (int64_t keys : {1, 4, 9}) {
      o.key_block = keys;
      Run seen = run(tiled_attention, in, o);
      CHECK(max_abs_difference(seen.context.select(1, 2), Tensor::zeros({1, 2, 4})) == 0);
      CHECK(max_abs_difference(seen.dq.select(1, 2), Tensor::zeros({1, 2, 4})) == 0);
      CHECK(largest_difference(seen, run(tiled_attention_composed, in, o)) < 1e-5);
      TiledContext kept = tiled_attention(in[0], in[1], in[2], o);
      CHECK(log_sum_exp(kept).at({0, 1, 2}) == -INFINITY);
    }
  }

  TEST_CASE("tiled attention: the log-sum-exp of each row, and scores of 1e4 are as exact as those of 1") {
    std::vector<Tensor> in = inputs(1, 6, 30, 2, 2, 8, 8, DType::f64);
    for (double scale : {1.0, 1e4}) {
      Tensor q = in[0].permute({0, 2, 1, 3}), k = in[1].permute({0, 2, 3, 1});
      Tensor wanted = logsumexp(matmul(Variable(q) * scale, Variable(k)), {-1}).value();
      for (int64_t keys : {1, 7, 30}) {
        AttentionTiles o{.scale = scale, .key_block = keys};
        Tensor got = log_sum_exp(tiled_attention(in[0], in[1], in[2], o));
        CHECK(max_abs_difference(got, wanted) < 1e-12 * std::max(1.0, scale));
        Run twin = run(tiled_attention_composed, in, o);
        CHECK(largest_difference(run(tiled_attention, in, o), twin) < 1e-12 * std::max(1.0, scale));
      }
    }
    // In f32, where the digits of a log-sum-exp of 1e4 would not do for the weights.
    std::vector<Tensor> single = inputs(1, 6, 30, 2, 2, 8, 8, DType::f32);
    for (Tensor& x : single) scale_into(x, 1);
    AttentionTiles o{.bias = Tensor::full({1}, 1e4, DType::f32), .key_block = 7};
    Run shifted = run(tiled_attention, single, o), twin = run(tiled_attention_composed, single, o);
    CHECK(largest_difference(shifted, twin) < 1e-4);  // the shift itself costs four digits of each score, in both
  }

  TEST_CASE("tiled attention: infinite and broken scores end as they do in a softmax") {
    std::vector<Tensor> in = inputs(1, 2, 20, 1, 1, 4, 4, DType::f32);
    in[1].set({0, 7, 0, 1}, NAN);
    AttentionTiles o{.key_block = 6};
    CHECK(std::isnan(tiled_attention(in[0], in[1], in[2], o).context.at({0, 0, 0, 0})));
    o.allowed = Tensor::from_bools(std::vector<int>(20, 0), {20});
    o.allowed.set({7}, 1);  // nothing but NaN
    CHECK(std::isnan(tiled_attention(in[0], in[1], in[2], o).context.at({0, 1, 0, 0})));
    o.allowed = Tensor::from_bools(std::vector<int>(20, 1), {20});
    o.allowed.set({7}, 0);
    CHECK(std::isfinite(tiled_attention(in[0], in[1], in[2], o).context.at({0, 1, 0, 0})));
  }

  TEST_CASE("tiled attention: dropout draws what dropout of the weights draws, in any block and for any threads") {
    using Lengths = std::vector<std::pair<int64_t, int64_t>>;
    for (auto [T, S] : Lengths{{6, 14}, {5, 70}}) {
      std::vector<Tensor> in = inputs(2, T, S, 2, 2, 6, 6, DType::f64);
      AttentionTiles o{.dropout = 0.3, .seed = 11, .offset = 5};
      Run wanted = run(tiled_attention_composed, in, o);
      for (int64_t keys : {0, 1, 9, 64}) {
        o.key_block = keys, o.query_block = keys == 9 ? 4 : 0;
        CHECK(largest_difference(run(tiled_attention, in, o), wanted) < 1e-12);
      }
    }
    // The mask itself: equal scores, values that tell the key, so that each context shows which keys were kept.
    Tensor q = Tensor::zeros({1, 3, 2, 1}), k = Tensor::zeros({1, 40, 2, 1}), v = Tensor::zeros({1, 40, 2, 40});
    for (int64_t s = 0; s < 40; ++s)
      for (int64_t g = 0; g < 2; ++g) v.set({0, s, g, s}, 40);
    AttentionTiles o{.dropout = 0.5, .seed = 3, .offset = 9, .key_block = 16};
    Tensor kept = tiled_attention(q, k, v, o).context.permute({0, 2, 1, 3}).contiguous();  // [B, H, T, S]
    CHECK(bit_equal(kept, dropout_mask({1, 2, 3, 40}, DType::f32, 0.5, 3, 9)));
    o.dropout = 1;
    CHECK(max_abs_difference(tiled_attention(q, k, v, o).context, Tensor::zeros({1, 3, 2, 40})) == 0);
  }

  TEST_CASE("tiled attention: the same bits for any number of threads, in any company, behind any padding") {
    int threads = thread_count();
    for (int64_t groups : {1, 2}) {
      std::vector<Tensor> in = inputs(1, 400, 420, 2, groups, 32, 32, DType::f32);
      AttentionTiles o{.scale = 0.2, .causal = true, .first = 20, .dropout = 0.1, .seed = 1};
      set_thread_count(1);
      Run one = run(tiled_attention, in, o);
      for (int n : {2, 3, 4}) {
        set_thread_count(n);
        CHECK(same_bits(run(tiled_attention, in, o), one));
      }
      set_thread_count(threads);
    }
    std::vector<Tensor> in = inputs(3, 20, 230, 2, 2, 8, 8, DType::f32), alone;
    for (const Tensor& x : in) alone.push_back(x.slice(0, 1, 2));
    AttentionTiles o{.allowed = Tensor::ones({3, 1, 1, 230}, DType::f32).to(DType::boolean)};
    for (int64_t s = 150; s < 230; ++s) o.allowed.set({1, 0, 0, s}, 0);
    Tensor whole = tiled_attention(in[0], in[1], in[2], o).context;
    Tensor shorter = tiled_attention(alone[0], alone[1].slice(1, 0, 150), alone[2].slice(1, 0, 150), {}).context;
    CHECK(bit_equal(whole.slice(0, 1, 2).contiguous(), shorter));
  }

  TEST_CASE("tiled attention: threads count no handle, whose count has no lock") {
    std::vector<Tensor> in = inputs(8, 40, 40, 4, 4, 16, 16, DType::f32);
    AttentionTiles o{.allowed = some_allowed({8, 1, 1, 40}, 3), .bias = normal({4, 40, 40}, 4), .query_block = 8};
    int threads = thread_count();
    set_thread_count(4);
    auto counts = [&] {
      std::vector<uint64_t> out;
      for (const Tensor& x : {o.allowed, o.bias, in[0], in[1], in[2]}) out.push_back(x.storage().owners());
      return out;
    };
    std::vector<uint64_t> before = counts();
    for (int i = 0; i < 200; ++i) {
      TiledContext seen = tiled_attention(in[0], in[1], in[2], o);
      tiled_attention_backward(in[0], in[1], in[2], seen, seen.context, o);
    }
    CHECK(counts() == before);
    set_thread_count(threads);
  }

  TEST_CASE("tiled attention: at T = 4096 it holds megabytes, where the weights alone would be 268") {
    std::vector<Tensor> in = inputs(1, 1024, 4096, 4, 4, 64, 64, DType::f32);
    std::vector<Variable> x;
    for (const Tensor& t : in) x.emplace_back(t, Variable::kRequiresGrad);
    int threads = thread_count();
    set_thread_count(1);  // its allocations are this thread's
    uint64_t before = allocator_stats().live_bytes;
    reset_peak();
    backward(sum(tiled_attention(x[0], x[1], x[2], {.scale = 0.125})));
    CHECK(allocator_stats().peak_bytes - before < (32u << 20));
    set_thread_count(threads);
  }

  TEST_CASE("tiled attention: operands as views of a projection, and no copy of them") {
    Tensor joint = normal({2, 9, 3 * 8}, 4);
    auto part = [&](int64_t i) { return joint.slice(2, 8 * i, 8 * i + 8).view({2, 9, 2, 4}); };
    AttentionTiles o{.scale = 0.5, .causal = true};
    int64_t copies = copies_made();
    Tensor seen = tiled_attention(part(0), part(1), part(2), o).context;
    CHECK(copies_made() == copies);
    CHECK(
        bit_equal(seen, tiled_attention(part(0).contiguous(), part(1).contiguous(), part(2).contiguous(), o).context));
  }

  TEST_CASE("bad input: tiled attention") {
    auto message = [](const std::vector<Tensor>& in, const AttentionTiles& o = {}) -> std::string {
      try {
        tiled_attention(in[0], in[1], in[2], o);
      } catch (const Error& error) { return error.what(); }
      return "no error";
    };
    std::vector<Tensor> good = inputs(2, 3, 4, 4, 2, 5, 6, DType::f32), bad = good;
    bad[1] = normal({2, 4, 3, 5}, 1), bad[2] = normal({2, 4, 3, 6}, 1);
    CHECK(message(bad) ==
          "tiled_attention: needs q [B, T, H, K], k [B, S, G, K] and v [B, S, G, V], H a multiple of G; got [2, 3, 4, "
          "5], "
          "[2, 4, 3, 5] and [2, 4, 3, 6]");
    CHECK(message(good, {.allowed = Tensor::from_bools({1, 0, 1}, {3})}) ==
          "tiled_attention: the mask must broadcast to the scores [2, 4, 3, 4]; got [3]");
    CHECK(message(good, {.bias = normal({5, 3, 4}, 1)}) ==
          "tiled_attention: the bias must broadcast to the scores [2, 4, 3, 4]; got [5, 3, 4]");
    CHECK(message(good, {.key_block = -1}) ==
          "tiled_attention: blocks must be positive, or 0; got 0 queries and -1 keys");
    CHECK(message(good, {.dropout = 1.5}) == "tiled_attention: dropout must lie in [0, 1]; got 1.5");
  }
}
