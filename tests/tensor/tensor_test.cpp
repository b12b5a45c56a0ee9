// Making tensors and looking at them.
#include "tensor/tensor.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;

TEST_CASE("every maker, every dtype") {
  for (DType d : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    CHECK(Tensor::zeros({2, 2}, d).to_vector() == std::vector<double>{0, 0, 0, 0});
    CHECK(Tensor::ones({2}, d).to_vector() == std::vector<double>{1, 1});
    CHECK(Tensor::scalar(1, d).rank() == 0);
    CHECK(Tensor::scalar(1, d).item() == 1);
    CHECK(Tensor::empty({0, 5}, d).count() == 0);
    CHECK(Tensor::full({2}, 1, d).dtype() == d);
  }
  CHECK(Tensor::arange(3, DType::f64).to_vector() == std::vector<double>{0, 1, 2});
  CHECK(Tensor::arange(0).count() == 0);
  CHECK(Tensor::from_bools({1, 0}, {2}).to_vector() == std::vector<double>{1, 0});
  CHECK(Tensor::from(std::vector<int64_t>{5}, {}).item() == 5);
  CHECK_FALSE(Tensor().defined());
}

TEST_CASE("sizes that make no sense are refused, and the sizes beside a 0 do no harm") {
  int64_t large = int64_t{1} << 40;
  CHECK_THROWS_AS(Tensor::empty({0, large, large}), ShapeError);
  CHECK_THROWS_AS(Tensor::empty({large, large, 0}), ShapeError);
  CHECK(Tensor::empty({0, large}).count() == 0);
}

TEST_CASE("single elements") {
  Tensor x = Tensor::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1);
  CHECK(x.at({2, 1}) == 6);
  uint32_t before = x.version();
  x.set({2, 1}, -1);
  CHECK(x.at({2, 1}) == -1);
  CHECK(x.version() == before + 1);
  CHECK(x.size(-1) == 2);
  CHECK(x.at({-1, 0}) == x.at({2, 0}));  // from the end, as select
  CHECK(x.at({-3, -2}) == x.at({0, 0}));
  x.set({0, -1}, 9);
  CHECK(x.at({0, 1}) == 9);
  Tensor whole = Tensor::zeros({2}, DType::i64);
  CHECK_THROWS_AS(whole.set({0}, 0.5), ValueError);  // no 0 without an error
  CHECK_THROWS_AS(whole.set({0}, NAN), ValueError);
}

TEST_CASE("numbers become integers by one rule on every machine: towards zero, saturated, NaN is 0") {
  std::vector<double> odd = {2.9, -2.9, 1e300, -1e300, INFINITY, -INFINITY, NAN, 9223372036854774784.0, 0x1p63};
  std::vector<int64_t> want = {2, -2, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0, 9223372036854774784, INT64_MAX};
  Tensor x = Tensor::from(odd, {9});
  Tensor y = x.to(DType::i64), single = x.to(DType::f32).to(DType::i64);
  for (int64_t i = 0; i < 9; ++i) {
    auto at = static_cast<size_t>(i);
    CHECK(y.data<int64_t>()[i] == want[at]);
    if (i != 7) CHECK(single.data<int64_t>()[i] == want[at]);
    CHECK(*Tensor::scalar(odd[at], DType::i64).data<int64_t>() == want[at]);
  }
  CHECK(x.to(DType::boolean).to_vector() == std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(Tensor::from(std::vector<float>{0, -0.0f, 0.25f}, {3}).to(DType::boolean).to_vector() ==
        std::vector<double>{0, 0, 1});
}

TEST_CASE("casts between all pairs keep what fits") {
  std::vector<DType> all = {DType::f32, DType::f64, DType::i64, DType::boolean};
  for (DType a : all)
    for (DType b : all) {
      Tensor x = Tensor::from(std::vector<double>{0, 1, 1, 0, 0, 1}, {2, 3}).to(a);
      for (const Tensor& view : test::layouts_of(x)) {
        Tensor y = view.to(b);
        CHECK(y.dtype() == b);
        CHECK(y.to_vector() == x.to_vector());
      }
    }
}
