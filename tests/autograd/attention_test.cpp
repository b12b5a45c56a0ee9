// Tiled attention against its composed twin: every block size, mask, window, block list, bias and kind of grouping,
// both types, all gradients. And its cost: tiles outside a window or a block list are not multiplied.
#include "tensor/allocator.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"
#include "tests/autograd/attention_support.h"

using namespace heed;

namespace {

// Multiply-adds that the kernels report, forward and backward.
double work_of(const std::vector<Tensor>& in, const AttentionTiles& o) {
  Profile profile;
  run(tiled_attention, in, o);
  double work = 0;
  for (const ProfileRow& row : profile.rows())
    if (row.operation.rfind("tiled_attention", 0) == 0) work += row.work;
  return work;
}

}  // namespace

// Blocks of any size give the values and the gradients of dense attention.
TEST_CASE("tiled attention: what its twin gives, for every size of block, 1 and all and those that leave a rest" *
          holds("any_block_is_dense")) {
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

// Masks and biases of every shape that broadcasts give what dense attention gives with them.
TEST_CASE("tiled attention: masks and biases of every shape that broadcasts, widths around a vector" *
          holds("any_mask_is_dense")) {
  std::vector<Shape> shapes{{}, {21}, {17, 1}, {17, 21}, {3, 1, 1}, {2, 1, 1, 21}, {2, 1, 17, 21}, {2, 3, 17, 21}};
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t width : {1, 8, 16, 17, 40, 64, 80}) {
      std::vector<Tensor> in = inputs(2, 17, 21, 3, 3, width, width + 1, dtype);
      for (const Shape& shape : shapes) {
        AttentionTiles o{.scale = 0.3, .query_block = 6, .key_block = 9};
        (shape.rank() == 4 ? o.allowed : o.bias) = shape.rank() == 4 ? some_allowed(shape, 5) : normal(shape, 6, dtype);
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

// A query that may read nothing gets zeros in blocks of any size, and passes on no gradient.
TEST_CASE("tiled attention: a query that may look at nothing reads 0 and hands down nothing, in any block" *
          holds("tiled_empty_row_reads_zero")) {
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

// It also gives the log-sum-exp of each row, and huge scores are as exact as small ones.
TEST_CASE("tiled attention: the log-sum-exp of each row, and scores of 1e4 are as exact as those of 1" *
          holds("log_sum_exp_of_a_row")) {
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

TEST_CASE("tiled attention: a score that overflowed to +inf gets the whole weight, two of them a half each") {
  // One number per query and key, so that each product is one multiplication: 1e30 times 1e30 is +inf in f32.
  std::vector<Tensor> in = inputs(1, 4, 40, 1, 1, 1, 5, DType::f32);
  in[0].set({0, 0, 0, 0}, 1e30), in[0].set({0, 1, 0, 0}, -1e30);
  in[1].set({0, 3, 0, 0}, 1e30), in[1].set({0, 35, 0, 0}, 2e30), in[1].set({0, 11, 0, 0}, -1e30);
  auto apart = [](const Run& a, const Run& b) {  // keys of 1e30 multiply the rounding of de by as much
    return greatest({difference(a.context, b.context), difference(a.dv, b.dv), max_abs_difference(a.dq, b.dq) / 1e30,
                     max_abs_difference(a.dk, b.dk) / 1e30,
                     b.dbias.defined() ? max_abs_difference(a.dbias, b.dbias) : 0});
  };
  auto value = [&](int64_t s, int64_t c) { return in[2].at({0, s, 0, c}); };
  for (bool biased : {false, true})
    for (double dropout : {0.0, 0.5})
      for (int64_t keys : {0, 1, 6, 20, 40})
        for (int64_t queries : {0, 1, 3}) {
          std::vector<Tensor> operands = in;
          if (biased) operands.push_back(normal({1, 1, 4, 40}, 4));
          AttentionTiles o{.dropout = dropout, .seed = 4, .query_block = queries, .key_block = keys};
          CAPTURE(keys);
          Run seen = run(tiled_attention, operands, o), twin = run(tiled_attention_composed, operands, o);
          CHECK(apart(seen, twin) < 1e-5);
          double most = 0;  // of dk: the halves of the weight have gradients
          for (double number : seen.dk.to_vector()) most = std::max(most, std::abs(number));
          CHECK(most > 1e29);
          for (const Tensor& x : {seen.context, seen.dq, seen.dk, seen.dv})
            for (double number : x.to_vector()) REQUIRE(std::isfinite(number));
          if (dropout > 0) continue;
          for (int64_t c = 0; c < 5; ++c) {
            CHECK(seen.context.at({0, 0, 0, c}) == doctest::Approx((value(3, c) + value(35, c)) / 2).epsilon(1e-6));
            CHECK(seen.context.at({0, 1, 0, c}) == doctest::Approx(value(11, c)).epsilon(1e-6));
          }
          TiledContext kept = tiled_attention(in[0], in[1], in[2], o);
          CHECK(log_sum_exp(kept).at({0, 0, 0}) == INFINITY);
          o.allowed = Tensor::from_bools(std::vector<int>(40, 1), {40});  // a masked score has no say, +inf or not
          o.allowed.set({35}, 0);
          seen = run(tiled_attention, operands, o);
          CHECK(apart(seen, run(tiled_attention_composed, operands, o)) < 1e-5);
          for (int64_t c = 0; c < 5; ++c)
            CHECK(seen.context.at({0, 0, 0, c}) == doctest::Approx(value(3, c)).epsilon(1e-6));
        }
  in[1].set({0, 20, 0, 0}, NAN);  // a NaN is not lost beside +inf
  CHECK(std::isnan(tiled_attention(in[0], in[1], in[2], {.key_block = 6}).context.at({0, 0, 0, 0})));
}

// The backward pass draws the dropout of the weights again, the same for any blocks and any number of threads.
TEST_CASE("tiled attention: dropout draws what dropout of the weights draws, in any block and for any threads" *
          holds("dropout_is_drawn_again")) {
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

TEST_CASE("tiled attention: windows, block lists, masks and biases, alone and together, in every tile") {
  struct Window {
    int64_t left, right;
    bool causal;
  };
  const std::vector<Window> windows{
      {kAllKeys, kAllKeys, false}, {4, 3, false}, {0, 0, false}, {kAllKeys, 2, false}, {6, kAllKeys, true}};
  for (DType dtype : {DType::f32, DType::f64}) {
    double near = dtype == DType::f32 ? 1e-5 : 1e-12;
    for (const auto& sizes : std::vector<std::pair<int64_t, int64_t>>{{19, 37}, {23, 17}})
      for (const Window& w : windows)
        for (int64_t list : {0, 1, 5, 8, 64})
          for (int masked : {0, 1}) {
            const int64_t T = sizes.first, S = sizes.second;
            std::vector<Tensor> in = inputs(2, T, S, 4, 2, 5, 7, dtype);
            in.push_back(normal(masked ? Shape{4, T, S} : Shape{1, S}, 7, dtype));
            AttentionTiles o{
                .scale = 0.4, .causal = w.causal, .left = w.left, .right = w.right, .first = T < S ? 9 : 0};
            if (list > 0) o.blocks = some_blocks(list, T, S, static_cast<uint64_t>(list));
            if (masked) o.allowed = some_allowed({2, 1, T, S}, 5), o.dropout = 0.2, o.seed = 3;
            Run wanted = run(tiled_attention_composed, in, o);
            for (const auto& block :
                 std::vector<std::pair<int64_t, int64_t>>{{0, 0}, {1, 1}, {3, 3}, {7, 10}, {5, 20}, {40, 50}}) {
              o.query_block = block.first, o.key_block = block.second;
              CAPTURE(T);
              CAPTURE(w.left);
              CAPTURE(w.right);
              CAPTURE(list);
              CAPTURE(masked);
              CAPTURE(block.first);
              CHECK(largest_difference(run(tiled_attention, in, o), wanted) < near);
            }
          }
  }
}

TEST_CASE("tiled attention: a window and a block list over many tiles of the usual size") {
  int64_t T = 500, S = 520;
  std::vector<Tensor> in = inputs(1, T, S, 2, 1, 16, 16, DType::f64);
  in.push_back(normal({1, T, S}, 4, DType::f64));
  for (int64_t reach : {0, 10, 100})
    for (int64_t list : {0, 32, 64, 100, 200, 700}) {
      AttentionTiles o{.scale = 0.3, .left = reach, .right = 2 * reach, .first = 20};
      if (list > 0) o.blocks = some_blocks(list, T, S, 8);
      CAPTURE(reach);
      CAPTURE(list);
      Run got = run(tiled_attention, in, o);
      CHECK(largest_difference(got, run(tiled_attention_composed, in, o)) < 1e-12);
      // The same pairs, as an attention mask: none of its tiles is skipped.
      AttentionTiles dense{.scale = 0.3, .allowed = Tensor::empty({T, S}, DType::boolean), .first = 20};
      for (int64_t t = 0; t < T; ++t)
        for (int64_t s = 0; s < S; ++s)
          dense.allowed.data<bool>()[t * S + s] = s >= 20 + t - reach && s <= 20 + t + 2 * reach &&
                                                  (list == 0 || o.blocks.keep.at({t / list, s / list}) != 0);
      CHECK(largest_difference(got, run(tiled_attention, in, dense)) < 1e-12);
      CHECK(work_of(in, o) < 0.9 * work_of(in, dense));
    }
}

TEST_CASE("tiled attention: a query without any key in its window or its blocks has context 0 and passes nothing on") {
  for (DType dtype : {DType::f32, DType::f64}) {
    std::vector<Tensor> in = inputs(1, 9, 8, 2, 2, 4, 4, dtype);
    in.push_back(normal({9, 8}, 3, dtype));
    AttentionTiles window{.left = 1, .right = 0, .first = 5},
        list{.blocks = {3, Tensor::zeros({3, 3}, DType::boolean)}};
    for (int64_t size : {0, 1, 2, 4}) {
      window.query_block = window.key_block = list.query_block = list.key_block = size;
      Run outside = run(tiled_attention, in, window), none = run(tiled_attention, in, list);
      for (int64_t t = 4; t < 9; ++t)  // position 9 and later; there are 8 keys
        for (const Tensor& x : {outside.context, outside.dq})
          CHECK(max_abs_difference(x.select(1, t), Tensor::zeros({1, 2, 4}, dtype)) == 0);
      CHECK(max_abs_difference(outside.dbias.slice(0, 4, 9), Tensor::zeros({5, 8}, dtype)) == 0);
      CHECK(max_abs_difference(outside.context.select(1, 3), Tensor::zeros({1, 2, 4}, dtype)) > 0);
      for (const Tensor& x : {none.context, none.dq, none.dk, none.dv, none.dbias})
        CHECK(max_abs_difference(x, Tensor::zeros(x.shape(), dtype)) == 0);
      CHECK(largest_difference(outside, run(tiled_attention_composed, in, window)) < 1e-5);
    }
  }
}

TEST_CASE("tiled attention: the gradient of a bias of every shape that broadcasts") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t G : {1, 3})
      for (const Shape& shape : std::vector<Shape>{{},
                                                   {1},
                                                   {21},
                                                   {17, 1},
                                                   {17, 21},
                                                   {3, 1, 1},
                                                   {3, 1, 21},
                                                   {1, 17, 21},
                                                   {3, 17, 21},
                                                   {2, 1, 1, 21},
                                                   {2, 1, 17, 1},
                                                   {2, 1, 17, 21},
                                                   {1, 3, 17, 1},
                                                   {2, 3, 1, 1},
                                                   {2, 3, 17, 21}})
        for (int64_t block : {0, 5}) {
          std::vector<Tensor> in = inputs(2, 17, 21, 3, G, 8, 9, dtype);
          in.push_back(normal(shape, 6, dtype));
          AttentionTiles o{.scale = 0.3, .query_block = block, .key_block = 2 * block};
          CAPTURE(to_string(shape));
          CAPTURE(G);
          double near = dtype == DType::f32 ? 1e-5 : 1e-12;
          Run got = run(tiled_attention, in, o);
          CHECK(largest_difference(got, run(tiled_attention_composed, in, o)) < near);
          CHECK(got.dbias.shape() == shape);
          // The bias alone needs a gradient; the bias is a constant.
          Variable bias(in[3], Variable::kRequiresGrad);
          Variable c = tiled_attention(in[0], in[1], in[2], bias, o);
          backward(sum(c * Variable(normal(c.shape(), 99, c.dtype()))));
          CHECK(bit_equal(bias.grad(), got.dbias));
          o.bias = in[3];
          Run constant = run(tiled_attention, {in[0], in[1], in[2]}, o);
          constant.dbias = got.dbias;
          CHECK(largest_difference(constant, got) < near);
        }
}

TEST_CASE("tiled attention: dbias is added up tile by tile, and [B, H, T, S] is never stored for it") {
  std::vector<Tensor> in = inputs(2, 1024, 1024, 4, 4, 16, 16, DType::f32);
  in.push_back(normal({1024, 1024}, 4));
  int threads = thread_count();
  set_thread_count(1);  // its allocations are this thread's
  uint64_t before = allocator_stats().live_bytes;
  reset_peak();
  run(tiled_attention, in, {.scale = 0.25});
  CHECK(allocator_stats().peak_bytes - before < (16u << 20));  // the scores of all heads would be 34 MB
  set_thread_count(threads);
}

TEST_CASE("tiled attention: the cost of a window grows with T, and that of a block list with its kept pairs") {
  double previous = 0;
  for (int64_t T : {1024, 2048, 4096}) {
    std::vector<Tensor> in = inputs(1, T, T, 1, 1, 8, 8, DType::f32);
    double work = work_of(in, {.left = 256, .right = 256}), full = work_of(in, {});
    auto t = static_cast<double>(T);
    CHECK(full == doctest::Approx(3.5 * 16 * t * t));
    CHECK(work > 0.9 * 3.5 * 16 * t * 513 * (1 - 256 / t));
    CHECK(work < 1.3 * 3.5 * 16 * t * 513);
    if (previous > 0) CHECK(work / previous == doctest::Approx(2).epsilon(0.15));
    previous = work;
    if (T > 1024) continue;
    CHECK(work_of(in, {.causal = true}) < 0.6 * full);
    BlockList diagonal{64, Tensor::zeros({16, 16}, DType::boolean)};
    for (int64_t b = 0; b < 16; ++b) diagonal.keep.set({b, b}, 1);
    CHECK(work_of(in, {.blocks = diagonal}) == doctest::Approx(full / 16));
  }
}
