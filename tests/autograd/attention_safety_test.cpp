// Tiled attention: threads, memory, views, rows in place, overwritten operands and bad input.
#include "tensor/allocator.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"
#include "tests/autograd/attention_support.h"

using namespace heed;

namespace {

bool same_bits(const Run& a, const Run& b) {
  return bit_equal(a.context, b.context) && bit_equal(a.dq, b.dq) && bit_equal(a.dk, b.dk) && bit_equal(a.dv, b.dv) &&
         (!b.dbias.defined() || bit_equal(a.dbias, b.dbias));
}
std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

}  // namespace

// The number of threads, the other sentences of a batch and padding change no bit.
TEST_CASE("tiled attention: the same bits for any number of threads, in any company, behind any padding" *
          holds("threads_and_padding_change_no_bit")) {
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

TEST_CASE("tiled attention: the same bits for any number of threads, with a window, a block list and any bias") {
  int threads = thread_count();
  for (int64_t B : {1, 2})
    for (int64_t groups : {1, 4})
      for (const Shape& shape : std::vector<Shape>{
               {400, 420}, {4, 400, 420}, {420}, {4, 1, 420}, {400, 1}, {}, {B, 1, 400, 420}, {B, 4, 400, 420}}) {
        std::vector<Tensor> in = inputs(B, 400, 420, 4, groups, 16, 16, DType::f32);
        in.push_back(normal(shape, 5));
        AttentionTiles o{.scale = 0.2, .left = 150, .right = 60, .first = 20, .blocks = some_blocks(50, 400, 420, 6)};
        set_thread_count(1);
        Run one = run(tiled_attention, in, o);
        for (int n : {2, 3}) {
          set_thread_count(n);
          CAPTURE(to_string(shape));
          CHECK(same_bits(run(tiled_attention, in, o), one));
        }
        set_thread_count(threads);
      }
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

// For thousands of words it allocates far less than the weights alone would need.
TEST_CASE("tiled attention: at T = 4096 it holds megabytes, where the weights alone would be 268" *
          holds("memory_is_that_of_blocks")) {
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
  CHECK(bit_equal(seen, tiled_attention(part(0).contiguous(), part(1).contiguous(), part(2).contiguous(), o).context));
}

TEST_CASE("tiled attention: a sentence of one tile, whose rows are read and written in place: the bits of two tiles") {
  struct Kind {
    int64_t heads, groups, left, first;
  };
  for (DType dtype : {DType::f32, DType::f64})
    for (const Kind& kind : std::vector<Kind>{{3, 3, kAllKeys, 0}, {3, 3, 2, 2}, {3, 3, 2, 12}, {4, 2, 3, 0}})
      for (int64_t K : {16, 32, 17})
        for (double p : {0.0, 0.3}) {
          const int64_t T = 7, S = 11;
          std::vector<Tensor> in = inputs(3, T, S, kind.heads, kind.groups, K, 48, dtype);
          AttentionTiles o{.scale = 0.3, .left = kind.left, .right = 1, .first = kind.first, .dropout = p, .seed = 3};
          Run whole = run(tiled_attention, in, o);
          o.query_block = 4;
          CAPTURE(K);
          CAPTURE(kind.first);
          CHECK(largest_difference(whole, run(tiled_attention, in, o)) == 0);
          CHECK(largest_difference(whole, run(tiled_attention_composed, in, o)) < (dtype == DType::f32 ? 1e-5 : 1e-12));
        }
}

TEST_CASE("tiled attention: operands and gradients that are expanded give the bits of their copies") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int axis : {0, 1, 2})
      for (size_t expanded : {0U, 1U, 2U, 3U}) {
        std::vector<Tensor> in = inputs(2, 7, 11, 3, 3, 16, 32, dtype);
        in.push_back(normal({2, 7, 3, 32}, 4, dtype));  // of the context
        Shape whole = in[expanded].shape();
        in[expanded] = in[expanded].slice(axis, 1, 2).expand(whole);
        auto all = [](const std::vector<Tensor>& x) {
          TiledContext c = tiled_attention(x[0], x[1], x[2], {.scale = 0.3});
          TiledGrads d = tiled_attention_backward(x[0], x[1], x[2], c, x[3], {.scale = 0.3});
          return Run{c.context, d.q, d.k, d.v, {}};
        };
        Run seen = all(in);
        in[expanded] = in[expanded].clone();
        CAPTURE(axis);
        CAPTURE(expanded);
        CHECK(largest_difference(seen, all(in)) == 0);
      }
}

TEST_CASE("tiled attention: without queries, heads or keys, gradients are zero") {
  for (auto [T, S, H] : std::vector<std::array<int64_t, 3>>{{0, 5, 2}, {3, 0, 2}, {3, 5, 0}}) {
    std::vector<Tensor> older(20, Tensor());
    for (Tensor& x : older) x = Tensor::full({2, 5, 2, 16}, NAN);
    older.clear();  // leaves NaN in free blocks of the size of a gradient
    std::vector<Tensor> in = inputs(2, T, S, H, 2, 16, 16, DType::f32);
    TiledContext c = tiled_attention(in[0], in[1], in[2], {});
    TiledGrads d = tiled_attention_backward(in[0], in[1], in[2], c, in[0], {});
    for (const Tensor& x : {d.q, d.k, d.v}) CHECK(bit_equal(x, Tensor::zeros(x.shape())));
  }
}

TEST_CASE("tiled attention: the gradient of a bias per query, with dropout, reads no older memory") {
  for (int64_t keys : {0, 8}) {
    std::vector<Tensor> in = inputs(1, 5, 21, 2, 2, 8, 9, DType::f32);
    in.push_back(normal({5, 1}, 6));
    AttentionTiles o{.dropout = 0.3, .seed = 3, .key_block = keys};
    std::vector<Tensor> older;  // leaves NaN in the free blocks of every size
    for (int64_t n = 16; n < 5000; n = n * 9 / 8)
      for (int i = 0; i < 4; ++i) older.push_back(Tensor::full({n}, NAN));
    older.clear();
    CHECK(largest_difference(run(tiled_attention, in, o), run(tiled_attention_composed, in, o)) < 1e-5);
  }
}

TEST_CASE("tiled attention: a mask, bias or block list that was overwritten since is refused") {
  std::vector<Tensor> in = inputs(1, 4, 6, 2, 2, 4, 4, DType::f32);
  for (bool recorded : {false, true})
    for (int which : {0, 1, 2, 3}) {
      AttentionTiles o{.allowed = some_allowed({4, 6}, 1), .blocks = some_blocks(2, 4, 6, 2)};
      Tensor bias = normal({4, 6}, 3);
      if (which == 3) o.bias = bias;
      Variable q(in[0], Variable::kRequiresGrad);
      Variable y = sum(tiled_attention(q, in[1], in[2], which == 3 ? Variable() : Variable(bias), o));
      Tensor written = which == 1 ? o.allowed : which == 2 ? o.blocks.keep : bias;
      copy_into(written, written.dtype() == DType::boolean ? logical_not(written) : mul(written, 2));
      CAPTURE(which);
      CHECK(message_of([&] { grad({y}, {q}, {.create_graph = recorded}); }).find("overwritten") != std::string::npos);
    }
}

// Their sums overflow, their means do not; so do the products with them that the gradients are made of.
TEST_CASE("tiled attention: values near the largest number have the mean and the gradients that its twin gives") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t V : {1, 5, 16})
      for (int64_t keys : {0, 7, 64})
        for (double dropout : {0.0, 0.25}) {
          const double big = dtype == DType::f32 ? 2e36 : 2e306, near = dtype == DType::f32 ? 1e-5 : 1e-13;
          std::vector<Tensor> in = inputs(2, 9, 300, 4, 2, 6, V, dtype);
          in[2] = mul(add(abs(in[2]), 1), big);
          for (int64_t s = 0; s < 300; ++s)  // the second sentence: one key outweighs the others, which come first
            for (int64_t g = 0; g < 2; ++g)
              for (int64_t k = 0; k < 6; ++k) in[1].set({1, s, g, k}, s == 299 ? 3 : 0);
          AttentionTiles o{.scale = 0.4, .causal = true, .first = 291, .dropout = dropout, .seed = 3};
          o.key_block = keys;
          o.allowed = some_allowed({2, 1, 9, 300}, 6);
          for (int64_t s = 0; s < 300; ++s) o.allowed.set({0, 0, 4, s}, 0);  // a query that sees nothing
          const Run got = run(tiled_attention, in, o), wanted = run(tiled_attention_composed, in, o);
          CAPTURE(V);
          CAPTURE(keys);
          CAPTURE(dropout);
          auto apart = [&](const Tensor& a, const Tensor& b) { return difference(mul(a, 1 / big), mul(b, 1 / big)); };
          CHECK(all_finite(wanted.context));
          CHECK(greatest({apart(got.context, wanted.context), apart(got.dq, wanted.dq), apart(got.dk, wanted.dk)}) <
                near);
          CHECK(difference(got.dv, wanted.dv) < near);
        }
  // What is infinite stays so.
  std::vector<Tensor> in = inputs(1, 3, 40, 1, 1, 4, 2, DType::f32);
  in[2].set({0, 7, 0, 1}, HUGE_VAL);
  const Tensor c = run(tiled_attention, in, {}).context;
  for (int64_t t = 0; t < 3; ++t) {
    CHECK(std::isfinite(c.at({0, t, 0, 0})));
    CHECK(c.at({0, t, 0, 1}) == HUGE_VAL);
  }
}
