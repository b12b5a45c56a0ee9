// Comparisons against plain C++ on every layout and dtype, by tensors and by scalars; masks.
#include "tensor/compare.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;
using test::layouts_of;

namespace {

const std::vector<Shape> kShapes = {{}, {1}, {37}, {3, 4, 5}, {2, 33}, {0}, {2, 0, 3}};
constexpr DType kAll[] = {DType::f32, DType::f64, DType::i64, DType::boolean};

struct Row {
  const char* name;
  Tensor (*by_tensor)(const Tensor&, const Tensor&);
  Tensor (*by_scalar)(const Tensor&, double);
  bool (*exact)(double, double);
};
const Row kRows[] = {{"equal", equal, equal, [](double p, double q) { return p == q; }},
                     {"not_equal", not_equal, not_equal, [](double p, double q) { return p != q; }},
                     {"less", less, less, [](double p, double q) { return p < q; }},
                     {"less_equal", less_equal, less_equal, [](double p, double q) { return p <= q; }},
                     {"greater", greater, greater, [](double p, double q) { return p > q; }},
                     {"greater_equal", greater_equal, greater_equal, [](double p, double q) { return p >= q; }}};

Tensor few_values(const Shape& shape, DType dtype, uint64_t seed) {  // -1, 0, 1: many are equal
  Generator rng(seed);
  return Tensor::uniform(shape, rng, -2, 2).to(DType::i64).to(dtype);
}

}  // namespace

TEST_CASE("comparisons of tensors: every dtype, every pair of layouts") {
  for (const Row& row : kRows)
    for (DType dtype : kAll)
      for (const Shape& shape : kShapes)
        for (const Tensor& a : layouts_of(few_values(shape, dtype, 1)))
          for (const Tensor& b : layouts_of(few_values(shape, dtype, 2))) {
            INFO(std::string(row.name));
            Tensor y = row.by_tensor(a, b);
            REQUIRE(y.dtype() == DType::boolean);
            REQUIRE(y.shape() == shape);
            for (const Index& i : indices(shape))
              REQUIRE((test::value(y, i) != 0) == row.exact(test::value(a, i), test::value(b, i)));
          }
}

TEST_CASE("comparisons with a scalar: every dtype, every layout") {
  for (const Row& row : kRows)
    for (DType dtype : {DType::f32, DType::f64, DType::i64})
      for (const Shape& shape : kShapes)
        for (const Tensor& x : layouts_of(few_values(shape, dtype, 3)))
          for (double s : {-1.0, 0.0, 0.5, -0.5, 2.0}) {
            INFO(std::string(row.name));
            Tensor y = row.by_scalar(x, s);
            REQUIRE(y.shape() == shape);
            for (const Index& i : indices(shape)) REQUIRE((test::value(y, i) != 0) == row.exact(test::value(x, i), s));
          }
  // The scalar takes the tensor's dtype; an i64 meets it as a real number, with every digit.
  CHECK(equal(Tensor::from(std::vector<float>{0.1f}, {1}), 0.1).at({0}) == 1);
  Tensor large = Tensor::from(std::vector<int64_t>{(int64_t{1} << 53) + 1, INT64_MAX}, {2});
  CHECK(equal(large, 0x1p53).to_vector() == std::vector<double>{0, 0});
  CHECK(less(large, 0x1p63).to_vector() == std::vector<double>{1, 1});
}

TEST_CASE("an i64 and a scalar: exact at the ends of both, without a type that holds both") {
  const std::vector<int64_t> whole = {INT64_MIN, INT64_MIN + 1,          -(int64_t{1} << 53) - 1, -1,       0,
                                      1,         (int64_t{1} << 53) + 1, INT64_MAX - 1,           INT64_MAX};
  Tensor x = Tensor::from(whole, {9});
  for (double s : std::initializer_list<double>{-INFINITY, -1e300, -0x1p63, -0x1p53, -1.0, -0.5, -0.0, 5e-324, 0.5, 1.0,
                                                0x1p53, 0x1p63, 1e300, INFINITY, NAN})
    for (const Row& row : kRows) {
      Tensor y = row.by_scalar(x, s);
      for (size_t i = 0; i < whole.size(); ++i) {
        // The order by halves: the difference of the upper 32 bits and that of the lower ones are exact in f64.
        double high = static_cast<double>(whole[i] >> 32), low = static_cast<double>(whole[i] & 0xffffffff);
        double s_high = std::floor(s * 0x1p-32), s_low = s - s_high * 0x1p32;
        bool far = std::isnan(s) || std::abs(s) > 0x1p64;
        double p = far ? 0 : high != s_high ? high : low, q = far ? s : high != s_high ? s_high : s_low;
        INFO(std::string(row.name), " ", whole[i], " ", s);
        CHECK((y.at({static_cast<int64_t>(i)}) != 0) == row.exact(p, q));
      }
    }
}

TEST_CASE("comparisons broadcast, and refuse to mix dtypes") {
  for (const Row& row : kRows) {
    Tensor a = few_values({4, 1, 3}, DType::f32, 1), b = few_values({2, 1}, DType::f32, 2), y = row.by_tensor(a, b);
    REQUIRE(y.shape() == Shape{4, 2, 3});
    for (const Index& i : indices(y.shape()))
      CHECK((test::value(y, i) != 0) == row.exact(test::value(a, {i[0], 0, i[2]}), test::value(b, {i[1], 0})));
    CHECK_THROWS_AS(row.by_tensor(a, a.to(DType::f64)), DTypeError);
    CHECK_THROWS_AS(row.by_tensor(a, few_values({2}, DType::f32, 1)), ShapeError);
  }
}

TEST_CASE("NaN: every comparison is false, but not_equal") {
  for (DType dtype : {DType::f32, DType::f64}) {
    Tensor nan = Tensor::scalar(NAN, dtype), one = Tensor::scalar(1, dtype);
    for (const Row& row : kRows) {
      bool want = row.by_tensor == static_cast<Tensor (*)(const Tensor&, const Tensor&)>(not_equal);
      for (const Tensor& other : {nan, one}) {
        CHECK((row.by_tensor(nan, other).item() != 0) == want);
        CHECK((row.by_tensor(other, nan).item() != 0) == want);
      }
      CHECK((row.by_scalar(nan, 1).item() != 0) == want);
      CHECK((row.by_scalar(one, NAN).item() != 0) == want);
    }
  }
}

TEST_CASE("isnan and isfinite") {
  for (DType dtype : {DType::f32, DType::f64}) {
    Tensor x = Tensor::from(std::vector<float>{0, NAN, INFINITY, -INFINITY, -3, 1e38f}, {2, 3}).to(dtype);
    for (const Tensor& v : layouts_of(x)) {
      CHECK(isnan(v).to_vector() == std::vector<double>{0, 1, 0, 0, 0, 0});
      CHECK(isfinite(v).to_vector() == std::vector<double>{1, 0, 0, 0, 1, 1});
    }
  }
  CHECK(isnan(Tensor::arange(3)).to_vector() == std::vector<double>{0, 0, 0});
  CHECK(isfinite(Tensor::from_bools({0, 1}, {2})).to_vector() == std::vector<double>{1, 1});
  CHECK(isnan(Tensor::scalar(NAN)).shape() == Shape{});
  CHECK(isfinite(Tensor::empty({2, 0})).shape() == Shape{2, 0});
}

TEST_CASE("masks") {
  Tensor a = Tensor::from_bools({0, 0, 1, 1}, {4}), b = Tensor::from_bools({0, 1, 0, 1}, {4});
  CHECK(logical_and(a, b).to_vector() == std::vector<double>{0, 0, 0, 1});
  CHECK(logical_or(a, b).to_vector() == std::vector<double>{0, 1, 1, 1});
  CHECK(logical_not(a).to_vector() == std::vector<double>{1, 1, 0, 0});
  CHECK(logical_and(a.unsqueeze(1), b).shape() == Shape{4, 4});
  CHECK(logical_not(a.slice(0, 0, 4, 2)).to_vector() == std::vector<double>{1, 0});
  Tensor f = Tensor::ones({4});
}
