// The fast product against the three loops, bit by bit: every small size, every layout, batches, vectors and chains.
#include "tensor/matmul.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "tensor/indexing.h"
#include "tensor/kernels/caches.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::layouts_of;
using test::Threads;

namespace {

struct Sizes {
  int64_t m, n, k;
};

// a [M, K] and b [K, N] as they are, and as transposes of copies: the four products of a matrix library.
void check(const Sizes& s, DType d, Generator& rng, int64_t& wrong) {
  Tensor a = Tensor::normal({s.m, s.k}, rng, 0, 1, d), b = Tensor::normal({s.k, s.n}, rng, 0, 1, d);
  Tensor at = a.transpose(0, 1).contiguous().transpose(0, 1), bt = b.transpose(0, 1).contiguous().transpose(0, 1);
  Tensor want = matmul_reference(a, b);
  wrong += !bit_equal(matmul(a, b), want) + !bit_equal(matmul(at, b), want) + !bit_equal(matmul(a, bt), want) +
           !bit_equal(matmul(at, bt), want) + !bit_equal(matmul(at, PackedMatrix(bt)), want);
}

}  // namespace

TEST_CASE("the reference is the definition") {
  Generator rng(1);
  Tensor a = Tensor::normal({3, 4}, rng, 0, 1, DType::f64), b = Tensor::normal({4, 5}, rng, 0, 1, DType::f64);
  Tensor c = matmul_reference(a, b);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j) {
      double want = 0;
      for (int64_t k = 0; k < 4; ++k) want += a.at({i, k}) * b.at({k, j});
      CHECK(c.at({i, j}) == doctest::Approx(want).epsilon(1e-14));
    }
}

TEST_CASE("all sizes 1 to 34 by edges and depths, four transposes") {
  const std::vector<int64_t> edges = {1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 47, 48, 49, 64, 65, 97};
  const std::vector<int64_t> depths = {0, 1, 5, 255, 256, 257, 600};
  Generator rng(2);
  int64_t wrong = 0;
  for (int64_t size = 1; size <= 34; ++size)
    for (int64_t edge : edges)
      for (int64_t k : depths) {
        if (k > 5 && (size + edge + k) % 3 != 0) continue;  // a third of the deep ones: the rest say the same
        check({size, edge, k}, DType::f32, rng, wrong);
        check({edge, size, k}, DType::f32, rng, wrong);
        if (edge < 34) check({size, edge, k}, DType::f64, rng, wrong);
      }
  for (int64_t k : depths)
    for (int64_t m : {0, 1, 5})
      for (int64_t n : {0, 1, 5})
        if (m * n == 0) check({m, n, k}, DType::f32, rng, wrong);
  CHECK(wrong == 0);
}

TEST_CASE("sizes past every blocking") {
  Generator rng(3);
  int64_t wrong = 0;
  for (const Sizes& s : {Sizes{130, 130, 300}, Sizes{257, 49, 512}, Sizes{1, 1100, 513}, Sizes{1100, 1, 513},
                         Sizes{70, 1100, 260}, Sizes{400, 3, 77}, Sizes{3, 400, 77}, Sizes{96, 528, 256},
                         Sizes{97, 529, 257}, Sizes{24, 96, 512}, Sizes{25, 95, 513}, Sizes{40, 1057, 1025},
                         Sizes{9, 50, 4096}, Sizes{9, 50, 4097}, Sizes{40, 7, 8192}, Sizes{3, 33, 12'289}}) {
    check(s, DType::f32, rng, wrong);
    check(s, DType::f64, rng, wrong);
  }
  CHECK(wrong == 0);
}

TEST_CASE("every size to 70, where HEED_EXHAUSTIVE asks for it") {
  if (!std::getenv("HEED_EXHAUSTIVE")) return;
  Generator rng(8);
  int64_t wrong = 0;
  for (int64_t m = 1; m <= 70; ++m)
    for (int64_t n = 1; n <= 70; ++n)
      for (int64_t k = 1; k <= 70; ++k) check({m, n, k}, (m + n + k) % 2 == 0 ? DType::f32 : DType::f64, rng, wrong);
  CHECK(wrong == 0);
}

TEST_CASE("any number of threads, any alignment, the same bits") {
  Generator rng(9);
  int64_t wrong = 0;
  for (DType d : {DType::f32, DType::f64})
    for (const Sizes& s : {Sizes{33, 530, 130}, Sizes{130, 49, 600}, Sizes{7, 1100, 300}, Sizes{1100, 7, 300},
                           Sizes{64, 512, 256}, Sizes{23, 128, 70}, Sizes{200, 200, 200}, Sizes{23, 70, 9000}}) {
      Tensor a = Tensor::normal({s.m, s.k + 1}, rng, 0, 1, d).slice(1, 1, s.k + 1);
      Tensor b = Tensor::normal({s.k, s.n + 1}, rng, 0, 1, d).slice(1, 1, s.n + 1);
      Tensor c = Tensor::normal({s.m, s.n + 1}, rng, 0, 1, d), want = matmul_reference(a, b), sum;
      for (int threads : {1, 2, 3, 7}) {
        Threads now(threads);
        PackedMatrix packed(b);
        Threads fewer(threads / 2 + 1);  // packed for some threads, used by others
        wrong += !bit_equal(matmul(a, b), want) + !bit_equal(matmul(a, packed), want);
        Tensor both = c.clone(), halves = c.clone();  // and c's rows begin anywhere
        Tensor x = both.slice(1, 1, s.n + 1), y = halves.slice(1, 1, s.n + 1);
        matmul_into(x, a, packed);
        matmul_into(y, a, b);
        if (threads == 1) sum = both;
        wrong += !bit_equal(both, sum) + !bit_equal(halves, sum);
      }
    }
  CHECK(wrong == 0);
}

TEST_CASE("blocks for any caches give the same bits") {
  Generator rng(10);
  const Caches own = caches();
  int64_t wrong = 0;
  for (DType d : {DType::f32, DType::f64})
    for (const Sizes& s : {Sizes{34, 530, 600}, Sizes{67, 1100, 1030}, Sizes{64, 49, 3000}})
      for (int64_t rows_apart : {0, 24}) {  // where rows of A are pages apart, panels of them are copied
        int64_t page = (s.k + 1023) / 1024 * 1024;
        Tensor a = Tensor::normal({s.m, page + rows_apart}, rng, 0, 1, d).slice(1, 0, s.k);
        Tensor b = Tensor::normal({s.k, s.n}, rng, 0, 1, d), want = matmul_reference(a, b);
        Tensor turned = a.transpose(0, 1).clone().transpose(0, 1);
        for (const Caches& c : {Caches{16 << 10, 64 << 10}, Caches{32 << 10, 256 << 10}, Caches{},
                                Caches{48 << 10, 1 << 20}, Caches{64 << 10, 8 << 20}}) {
          set_caches(c);
          wrong += !bit_equal(matmul(a, b), want) + !bit_equal(matmul(turned, b), want);
        }
      }
  set_caches(own);
  CHECK(wrong == 0);
}

TEST_CASE("the block of B fills three quarters of L2, and a panel of A at most half of L1") {
  // f32 with AVX-512: panels of 8 rows, strips of 48 columns
  ProductBlock b = product_block({48 << 10, 1 << 20}, 4, 8, 48);
  CHECK(b.depth == 384);
  CHECK(b.strips == 11);                                             // 528 columns: 811 KB
  CHECK(product_block({32 << 10, 2 << 20}, 4, 8, 48).depth == 512);  // half of L1: 16 KiB
  for (int64_t l1 : {8, 16, 32, 48, 64, 128})
    for (int64_t l2 : {64, 128, 256, 512, 1024, 2048, 4096, 16384})
      for (int64_t bytes : {4, 8}) {
        ProductBlock any = product_block({l1 << 10, l2 << 10}, bytes, 8, 192 / bytes);
        CHECK(any.depth >= 16);
        CHECK(any.strips >= 1);
        CHECK(any.depth * 8 * bytes <= (l1 << 10) / 2);
        if (any.strips > 1) CHECK(any.depth * any.strips * 192 <= l2 << 10);
      }
  CHECK(caches().l1 >= 4 << 10);
  CHECK(caches().l2 >= caches().l1);
}

TEST_CASE("a packed matrix is a copy, of any layout and of no size") {
  Generator rng(10);
  Tensor a = Tensor::normal({6, 20}, rng), b = Tensor::normal({20, 50}, rng), want = matmul_reference(a, b);
  PackedMatrix packed(b);
  CHECK(packed.shape() == Shape{20, 50});
  CHECK(packed.dtype() == DType::f32);
  copy_into(b, Tensor::zeros({20, 50}));
  CHECK(bit_equal(matmul(a, packed), want));
  for (DType d : {DType::f32, DType::f64}) {
    Tensor w = Tensor::normal({33, 50}, rng, 0, 1, d), x = Tensor::normal({9, 33}, rng, 0, 1, d);
    for (const Tensor& q : layouts_of(w)) CHECK(bit_equal(matmul(x, PackedMatrix(q)), matmul_reference(x, w)));
  }
  for (const Sizes& s : {Sizes{3, 4, 0}, Sizes{3, 0, 4}, Sizes{0, 3, 4}}) {
    Tensor p = Tensor::ones({s.m, s.k}), q = Tensor::ones({s.k, s.n});
    CHECK(bit_equal(matmul(p, PackedMatrix(q)), Tensor::zeros({s.m, s.n})));
  }
}

TEST_CASE("every layout of both sides") {
  Generator rng(4);
  for (DType d : {DType::f32, DType::f64})
    for (const Sizes& s : {Sizes{5, 7, 9}, Sizes{17, 33, 20}, Sizes{9, 64, 65}, Sizes{40, 2, 30}}) {
      Tensor a = Tensor::normal({s.m, s.k}, rng, 0, 1, d), b = Tensor::normal({s.k, s.n}, rng, 0, 1, d);
      Tensor want = matmul_reference(a, b);
      for (const Tensor& p : layouts_of(a))
        for (const Tensor& q : layouts_of(b)) REQUIRE(bit_equal(matmul(p, q), want));
      Tensor row = a.slice(0, 0, 1).expand({s.m, s.k}), column = b.slice(1, 0, 1).expand({s.k, s.n});
      REQUIRE(bit_equal(matmul(row, column), matmul_reference(row.contiguous(), column.contiguous())));
    }
}

TEST_CASE("leading axes broadcast") {
  Generator rng(5);
  struct Row {
    Shape a, b, out;
  };
  for (const Row& r :
       {Row{{2, 3, 4}, {2, 4, 5}, {2, 3, 5}}, Row{{2, 3, 4}, {4, 5}, {2, 3, 5}}, Row{{3, 4}, {2, 4, 5}, {2, 3, 5}},
        Row{{2, 1, 3, 4}, {6, 4, 5}, {2, 6, 3, 5}}, Row{{1, 3, 4}, {7, 4, 5}, {7, 3, 5}},
        Row{{2, 3, 2, 3, 4}, {3, 1, 4, 5}, {2, 3, 2, 3, 5}}, Row{{0, 3, 4}, {4, 5}, {0, 3, 5}},
        Row{{2, 3, 0}, {0, 5}, {2, 3, 5}}, Row{{2, 3, 0}, {2, 0, 5}, {2, 3, 5}}, Row{{2, 0, 4}, {4, 5}, {2, 0, 5}},
        Row{{4}, {4}, {}}, Row{{4}, {4, 5}, {5}}, Row{{3, 4}, {4}, {3}}, Row{{4}, {2, 4, 5}, {2, 5}},
        Row{{2, 3, 4}, {4}, {2, 3}}, Row{{0}, {0}, {}}, Row{{0}, {0, 3}, {3}}, Row{{1}, {1}, {}},
        Row{{40, 30, 20}, {20, 10}, {40, 30, 10}}})
    for (DType d : {DType::f32, DType::f64}) {
      Tensor a = Tensor::normal(r.a, rng, 0, 1, d), b = Tensor::normal(r.b, rng, 0, 1, d);
      for (const Tensor& p : layouts_of(a))
        for (const Tensor& q : layouts_of(b)) {
          Tensor c = matmul(p, q), want = matmul_reference(p, q);
          INFO("a ", to_string(r.a), " b ", to_string(r.b));
          REQUIRE(c.shape() == r.out);
          REQUIRE(bit_equal(c, want));
        }
    }
  // The reference itself, batch by batch.
  Tensor a = Tensor::normal({2, 1, 3, 4}, rng), b = Tensor::normal({6, 4, 5}, rng), c = matmul(a, b);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 6; ++j)
      CHECK(bit_equal(c.select(0, i).select(0, j), matmul_reference(a.select(0, i).select(0, 0), b.select(0, j))));
}

TEST_CASE("a product of nothing is zero, and infinities and NaN stay in their row and column") {
  CHECK(matmul(Tensor::empty({2, 0}), Tensor::empty({0, 3})).to_vector() == std::vector<double>(6, 0));
  Tensor a = Tensor::ones({20, 30}), b = Tensor::ones({30, 20});
  a.set({3, 4}, NAN);
  b.set({7, 19}, INFINITY);
  Tensor c = matmul(a, b);
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t j = 0; j < 20; ++j) {
      double v = c.at({i, j});
      CHECK((i == 3 ? std::isnan(v) : j == 19 ? v == INFINITY : v == 30));
    }
}

TEST_CASE("matmul_into continues the chain: a cut anywhere in k gives the bits of one product") {
  Generator rng(6);
  for (DType d : {DType::f32, DType::f64})
    for (const Sizes& s : {Sizes{7, 9, 40}, Sizes{33, 50, 300}, Sizes{30, 3, 20}, Sizes{1, 64, 10}}) {
      Tensor a = Tensor::normal({s.m, s.k}, rng, 0, 1, d), b = Tensor::normal({s.k, s.n}, rng, 0, 1, d);
      Tensor want = matmul_reference(a, b);
      for (int64_t cut : {int64_t{0}, int64_t{1}, s.k / 2, s.k}) {
        for (Tensor c : layouts_of(Tensor::zeros({s.m, s.n}, d))) {  // the target may be strided
          uint32_t version = c.version();
          matmul_into(c, a.slice(1, 0, cut), b.slice(0, 0, cut));
          matmul_into(c, a.slice(1, cut, s.k), b.slice(0, cut, s.k));
          REQUIRE(bit_equal(c, want));
          REQUIRE(c.version() == version + 2);
        }
      }
    }
}

TEST_CASE("a long product keeps its digits, its infinities, and its bits under padding") {
  const int64_t K = 1'000'000;
  Generator rng(11);
  Tensor a = Tensor::uniform({1, K}, rng), b = Tensor::uniform({K, 2}, rng);
  Tensor exact = matmul(a.to(DType::f64), b.to(DType::f64)), c = matmul(a, b), more = Tensor::ones({1, 2});
  matmul_into(more, a, b);
  Tensor tenths = matmul(Tensor::full({1, K}, 0.1F), Tensor::full({K, 1}, 0.1F));
  for (int64_t j : {0, 1}) {
    CHECK(std::abs(c.at({0, j}) / exact.at({0, j}) - 1) < 1e-6);  // one chain of a million: 1e-4
    CHECK(std::abs(more.at({0, j}) / (exact.at({0, j}) + 1) - 1) < 1e-6);
  }
  CHECK(std::abs(tenths.item() / 10'000 - 1) < 1e-4);  // equal terms, one chain: 1e-2
  for (int64_t k : {4000, 4096, 5000}) {
    Tensor x = Tensor::normal({5, k}, rng), y = Tensor::normal({k, 20}, rng), rest = Tensor::zeros({5, 6000});
    CHECK(bit_equal(matmul(concat({x, rest}, 1), concat({y, Tensor::ones({6000, 20})}, 0)), matmul(x, y)));
  }
  a.set({0, 5}, INFINITY);
  CHECK(matmul(a, b).at({0, 1}) == INFINITY);
  a.set({0, K - 5}, -INFINITY);
  CHECK(std::isnan(matmul(a, b).at({0, 1})));
}
