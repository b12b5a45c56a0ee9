// Picking, placing and joining, against loops over the index.
#include "tensor/indexing.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;
using test::layouts_of;

namespace {

Tensor ints(std::vector<int64_t> v, const Shape& shape) { return Tensor::from(v, shape); }

}  // namespace

TEST_CASE("index_select: rows by index, any shape of index, every layout") {
  Generator rng(1);
  for (DType d : {DType::f32, DType::f64, DType::i64, DType::boolean})
    for (const Shape& table_shape : {Shape{5}, Shape{5, 3}, Shape{5, 2, 3}, Shape{5, 0}}) {
      Tensor table = Tensor::uniform(table_shape, rng, -9, 9).to(DType::i64).to(d);
      Tensor at = ints({4, 0, 4, 2, 2, 1}, {2, 3});
      for (const Tensor& t : layouts_of(table))
        for (const Tensor& i : layouts_of(at)) {
          Tensor y = index_select(t, i);
          REQUIRE(y.rank() == 1 + table.rank());
          for (int64_t r = 0; r < 2; ++r)
            for (int64_t c = 0; c < 3; ++c)
              REQUIRE(bit_equal(y.select(0, r).select(0, c), table.select(0, static_cast<int64_t>(at.at({r, c})))));
        }
      CHECK(index_select(table, Tensor::scalar(3, DType::i64)).shape() == table.select(0, 3).shape());
      CHECK(index_select(table, Tensor::empty({0}, DType::i64)).size(0) == 0);
    }
  Tensor table = Tensor::ones({5, 3});
  CHECK_THROWS_AS(index_select(Tensor::empty({0, 3}), ints({0}, {1})), IndexError);
}

TEST_CASE("index_add_into: repeated indices add up, in their order") {
  Tensor table = Tensor::zeros({4, 2});
  Tensor dy = Tensor::from(std::vector<float>{1, 2, 10, 20, 100, 200}, {3, 2});
  for (const Tensor& view : layouts_of(dy)) {
    fill_into(table, 1);
    uint32_t version = table.version();
    index_add_into(table, ints({2, 0, 2}, {3}), view);
    CHECK(table.to_vector() == std::vector<double>{11, 21, 1, 1, 102, 203, 1, 1});
    CHECK(table.version() == version + 1);
  }
  // 1 + 2^-24 + 2^-24 is 1 in this order of f32, and more than 1 in the other.
  Tensor one = Tensor::zeros({1, 1});
  index_add_into(one, ints({0, 0, 0}, {3}), Tensor::from(std::vector<float>{1, 0x1p-24f, 0x1p-24f}, {3, 1}));
  CHECK(one.item() == 1);
  index_add_into(table, Tensor::empty({0}, DType::i64), Tensor::empty({0, 2}));
}

// A sum of a million equal terms in one chain is off by 1 %. Up to kRepeats rows of an index are added in order.
TEST_CASE("additions at indices keep their digits, however often an index repeats") {
  for (DType d : {DType::f32, DType::f64}) {
    const double tolerance = d == DType::f32 ? 2e-6 : 1e-14;
    for (int64_t n : {4096, 4097, 20000, 1000000}) {
      CAPTURE(n);
      Tensor index = Tensor::zeros({n + 6}, DType::i64), rows = Tensor::full({n + 6, 3}, 0.1, d);
      for (int64_t i = 0; i < 6; ++i) index.set({i * (n / 6)}, 2);  // a place beside it that hardly repeats
      const double unit = Tensor::full({}, 0.1, d).item(), many = static_cast<double>(n) * unit;
      Tensor table = Tensor::ones({4, 3}, d), scattered = Tensor::ones({3, 4}, d), six = Tensor::ones({}, d);
      index_add_into(table, index, rows);
      scatter_add_into(scattered, 1, index.unsqueeze(0).expand({3, n + 6}), rows.transpose(0, 1));
      for (int i = 0; i < 6; ++i) add_into(six, Tensor::full({}, unit, d));
      for (int64_t j = 0; j < 3; ++j)
        for (const Tensor& t : {table.select(1, j), scattered.select(0, j)}) {
          CHECK(std::abs(t.at({0}) - (many + 1)) <= (n == 4096 ? 100 : 1) * tolerance * many);
          CHECK(t.at({1}) == 1);
          CHECK(t.at({2}) == six.item());
        }
    }
  }
  Generator rng(3);
  Tensor rows = Tensor::normal({15000, 70}, rng), index = Tensor::zeros({15000}, DType::i64);
  for (int64_t i = 0; i < 15000; ++i) index.data<int64_t>()[i] = i % 3 == 0 ? i % 7 : 7;
  Tensor exact = Tensor::zeros({8, 70}, DType::f64), table = Tensor::zeros({8, 70}), whole = table.clone();
  index_add_into(exact, index, rows.to(DType::f64));
  index_add_into(table, index, rows);
  CHECK(max_abs_difference(table.to(DType::f64), exact) < 1e-4);
  Tensor wholes = round(mul(rows, 3)).to(DType::i64), counts = Tensor::zeros({8, 70}, DType::i64);
  index_add_into(counts, index, wholes);
  index_add_into(whole, index, wholes.to(DType::f32));
  CHECK(max_abs_difference(counts.to(DType::f32), whole) == 0);
}

TEST_CASE("gather_last and scatter_add_last_into are transposes of each other") {
  Generator rng(2);
  Tensor x = Tensor::normal({2, 3, 5}, rng, 0, 1, DType::f64);
  Tensor at = Tensor::uniform({2, 3, 4}, rng, 0, 5).to(DType::i64),
         dy = Tensor::normal({2, 3, 4}, rng, 0, 1, DType::f64);
  for (const Tensor& p : layouts_of(x))
    for (const Tensor& i : layouts_of(at)) {
      Tensor y = gather_last(p, i);
      for (const Index& k : indices(y.shape()))
        REQUIRE(test::value(y, k) == test::value(x, {k[0], k[1], static_cast<int64_t>(test::value(at, k))}));
    }
  Tensor dx = Tensor::zeros({2, 3, 5}, DType::f64), want = dx.clone();
  for (const Index& k : indices(at.shape()))
    test::element<double>(want, {k[0], k[1], static_cast<int64_t>(test::value(at, k))}) += test::value(dy, k);
  for (const Tensor& i : layouts_of(at))
    for (const Tensor& g : layouts_of(dy)) {
      fill_into(dx, 0);
      scatter_add_last_into(dx, i, g);
      REQUIRE(bit_equal(dx, want));
    }
  CHECK(gather_last(x, Tensor::empty({2, 3, 0}, DType::i64)).shape() == Shape{2, 3, 0});
  CHECK(gather_last(Tensor::empty({2, 0}), Tensor::empty({2, 0}, DType::i64)).shape() == Shape{2, 0});
}

TEST_CASE("concat and stack along every axis, every layout") {
  Generator rng(3);
  for (DType d : {DType::f32, DType::i64, DType::boolean})
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<Tensor> parts;
      for (int64_t size : {2, 0, 3, 1}) {
        Shape shape{2, 3, 4};
        shape[axis] = size;
        parts.push_back(Tensor::uniform(shape, rng, -9, 9).to(DType::i64).to(d));
      }
      Shape want{2, 3, 4};
      want[axis] = 6;
      for (const Tensor& third : layouts_of(parts[2])) {
        Tensor y = concat({parts[0], parts[1], third, parts[3]}, axis - 3);
        REQUIRE(y.shape() == want);
        REQUIRE(bit_equal(y.slice(axis, 0, 2), parts[0]));
        REQUIRE(bit_equal(y.slice(axis, 2, 5), parts[2]));
        REQUIRE(bit_equal(y.slice(axis, 5, 6), parts[3]));
      }
    }
  Tensor a = Tensor::ones({2, 3}), b = Tensor::zeros({2, 3});
  for (int64_t axis = -3; axis < 3; ++axis) {
    Tensor y = stack({a, b}, axis);
    CHECK(bit_equal(y.select(axis, 0), a));
    CHECK(bit_equal(y.select(axis, 1), b));
  }
}

TEST_CASE("one_hot") {
  Tensor y = one_hot(ints({2, 0}, {2}), 3);
  CHECK(y.to_vector() == std::vector<double>{0, 0, 1, 1, 0, 0});
  CHECK(y.dtype() == DType::f32);
  CHECK(one_hot(ints({1}, {}), 2, DType::boolean).to_vector() == std::vector<double>{0, 1});
  CHECK(one_hot(Tensor::empty({0}, DType::i64), 4).shape() == Shape{0, 4});
}
