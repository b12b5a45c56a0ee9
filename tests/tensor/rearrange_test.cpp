// Mirrors, turns, frames, diagonals and order, against loops over the index and in every layout.
#include "tensor/rearrange.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tensor/indexing.h"
#include "tensor/reduce.h"
#include "tensor/sort.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;
using test::layouts_of;

namespace {

Tensor counting(const Shape& shape, DType d = DType::f32) {
  return Tensor::arange(element_count(shape), DType::i64).to(d).view(shape);
}

// y[index] = x[source(index)] for every index of y; a source outside x means `fill`.
template <class F>
bool agrees(const Tensor& y, const Tensor& x, const F& source, double fill = 0) {
  for (const Index& at : indices(y.shape())) {
    Index from = source(at);
    bool inside = true;
    for (size_t i = 0; i < from.size(); ++i)
      inside = inside && from[i] >= 0 && from[i] < x.shape()[static_cast<int>(i)];
    if (test::value(y, at) != (inside ? test::value(x, from) : fill)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("flip and roll along any axes, every dtype and layout") {
  for (DType d : {DType::f32, DType::f64, DType::i64, DType::boolean})
    for (const Tensor& x : layouts_of(counting({3, 4, 2}, d))) {
      CHECK(agrees(flip(x, {1, -1}), x, [](const Index& i) { return Index{i[0], 3 - i[1], 1 - i[2]}; }));
      CHECK(agrees(roll(x, {1, -9}, {0, 1}), x, [](const Index& i) {
        return Index{(i[0] + 2) % 3, (i[1] + 9) % 4, i[2]};
      }));
    }
  Tensor x = counting({3, 2});
  CHECK(bit_equal(flip(x, {}), x));
  CHECK(roll(x, {INT64_MIN}, {0}).shape() == x.shape());
  CHECK(flip(Tensor::empty({0, 3}), {0}).shape() == Shape{0, 3});
  CHECK(roll(Tensor::empty({0, 3}), {2}, {0}).shape() == Shape{0, 3});
  CHECK(flip(Tensor::scalar(3), {}).item() == 3);
}

TEST_CASE("pad frames and cuts") {
  for (const Tensor& x : layouts_of(counting({3, 4}))) {
    auto source = [](const Index& i) { return Index{i[0] - 1, i[1] + 2}; };
    Tensor y = pad(x, {{.axis = 0, .before = 1, .after = 2}, {.axis = -1, .before = -2, .after = 1}}, 9);
    CHECK(y.shape() == Shape{6, 3});
    CHECK(agrees(y, x, source, 9));
  }
  CHECK(pad(Tensor::ones({3}), {{.axis = 0, .before = -3, .after = 2}}, 5).to_vector() == std::vector<double>{5, 5});
  CHECK(pad(Tensor::scalar(2), {}).item() == 2);
  CHECK_THROWS_AS(pad(Tensor::arange(2), {{.axis = 0, .after = 1}}, 1.5), Error);
}

TEST_CASE("unfold: windows of an axis, in a view") {
  for (DType d : {DType::f32, DType::i64, DType::boolean})
    for (const Tensor& x : layouts_of(counting({3, 7, 2}, d))) {
      Tensor y = unfold(x, 1, 3, 2);
      CHECK(y.shape() == Shape{3, 3, 2, 3});
      CHECK(&y.storage() == &x.storage());
      CHECK(agrees(y, x, [](const Index& i) { return Index{i[0], 2 * i[1] + i[3], i[2]}; }));
    }
  Tensor x = counting({5});
  CHECK(unfold(x, 0, 2, 2).to_vector() == std::vector<double>{0, 1, 2, 3});  // the last element is in no window
  CHECK(unfold(x, -1, 5, INT64_MAX).shape() == Shape{1, 5});
  CHECK(unfold(x, 0, 0, 1).shape() == Shape{6, 0});
  CHECK(unfold(Tensor::empty({0, 3}), 1, 2, 1).shape() == Shape{0, 2, 2});
  CHECK_THROWS_AS(unfold(x, 0, 2, 0), ValueError);
  CHECK_THROWS_AS(unfold(x, 1, 2, 1), IndexError);
}

TEST_CASE("tril, triu and diagonal, at every offset") {
  for (DType d : {DType::f32, DType::boolean})
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{2, 7, 2}, Shape{2, 2, 7}})
      for (const Tensor& x : layouts_of(Tensor::full(shape, 1, d)))
        for (int64_t k = -8; k <= 8; ++k) {
          Tensor low = tril(x, k), high = triu(x, k);
          for (const Index& i : indices(x.shape())) {
            REQUIRE(test::value(low, i) == (i[2] - i[1] <= k ? 1 : 0));
            REQUIRE(test::value(high, i) == (i[2] - i[1] >= k ? 1 : 0));
          }
        }
  Tensor far = Tensor::ones({2, 2});
  CHECK(bit_equal(tril(far, INT64_MAX), far));
  CHECK(bit_equal(triu(far, INT64_MIN), far));
  for (const Tensor& x : layouts_of(counting({3, 4})))
    for (int64_t k = -4; k <= 5; ++k) {
      Tensor line = diagonal(x, k);
      CHECK(line.count() == std::max<int64_t>(0, std::min(3 - std::max<int64_t>(-k, 0), 4 - std::max<int64_t>(k, 0))));
      CHECK(agrees(line, x, [k](const Index& i) {
        return Index{i[0] + std::max<int64_t>(-k, 0), i[0] + std::max<int64_t>(k, 0)};
      }));
    }
  Tensor cube = counting({2, 3, 4});
  CHECK(&diagonal(cube, 1, 2, 0).storage() == &cube.storage());
  CHECK(agrees(diagonal(cube, 1, 2, 0), cube, [](const Index& i) { return Index{i[1] + 1, i[0], i[1]}; }));
  CHECK(agrees(movedim(cube, 0, -1), cube, [](const Index& i) { return Index{i[2], i[0], i[1]}; }));
}

TEST_CASE("argsort and argtopk: stable, NaN as the largest, along any axis and layout") {
  double nan = std::nan("");
  Tensor x = Tensor::from(std::vector<double>{2, nan, 1, 2, -INFINITY, nan, 1}, {7});
  CHECK(argsort(x).to_vector() == std::vector<double>{4, 2, 6, 0, 3, 1, 5});
  CHECK(argsort(x, 0, {.descending = true}).to_vector() == std::vector<double>{1, 5, 0, 3, 2, 6, 4});
  Generator rng(3);
  for (DType d : {DType::f32, DType::f64, DType::i64}) {
    Tensor many = Tensor::uniform({3, 40, 2}, rng, -9, 9, DType::f64).to(DType::i64).to(d);  // many ties
    for (const Tensor& t : layouts_of(many))
      for (int64_t axis : {0, 1, -1})
        for (bool down : {false, true}) {
          Tensor order = argsort(t, axis, {.descending = down});
          Tensor lines = movedim(gather(t, axis, order), axis, -1), at = movedim(order, axis, -1);
          for (const Index& i : indices(lines.shape())) {
            if (i[2] == 0) continue;
            Index previous = i;
            --previous[2];
            double a = test::value(lines, previous), b = test::value(lines, i);
            REQUIRE((down ? a >= b : a <= b));
            if (a == b) REQUIRE(test::value(at, previous) < test::value(at, i));
          }
          int64_t k = t.size(axis) / 2;
          CHECK(bit_equal(argtopk(t, k, axis, {.largest = down}), order.slice(axis, 0, k)));
        }
  }
  CHECK(argsort(Tensor::empty({2, 0})).shape() == Shape{2, 0});
  CHECK(argtopk(Tensor::ones({2, 3}), 0).shape() == Shape{2, 0});
  CHECK_THROWS_AS(argsort(Tensor::scalar(1)), IndexError);
  CHECK(argsort(Tensor::from_bools({1, 0, 1, 0}, {4})).to_vector() == std::vector<double>{1, 3, 0, 2});
  CHECK(argmin(Tensor::from(std::vector<float>{3, 1, 1, 2}, {4}), 0).item() == 1);
}

TEST_CASE("gather and scatter_add_into along any axis, with a narrower index") {
  Tensor x = counting({3, 4, 2}, DType::f64);
  Tensor at = Tensor::from(std::vector<int64_t>{3, 0, 2, 2, 1, 3, 0, 0, 1, 1}, {1, 5, 2});
  for (const Tensor& t : layouts_of(x))
    for (const Tensor& i : layouts_of(at))
      CHECK(agrees(gather(t, 1, i), x, [&](const Index& p) {
        return Index{p[0], static_cast<int64_t>(test::value(at, p)), p[2]};
      }));
  Tensor y = x.clone(), want = x.clone(), v = counting({1, 5, 2}, DType::f64);
  scatter_add_into(y, 1, at, v.transpose(0, 2).clone().transpose(0, 2));
  for (const Index& p : indices(at.shape()))
    test::element<double>(want, {p[0], static_cast<int64_t>(test::value(at, p)), p[2]}) += test::value(v, p);
  CHECK(bit_equal(y, want));
  CHECK(y.version() == x.clone().version() + 1);
  CHECK(agrees(index_select(x, 1, Tensor::from(std::vector<int64_t>{3, 0, 3}, {3})), x, [](const Index& p) {
    return Index{p[0], p[1] == 1 ? 0 : 3, p[2]};
  }));
}

TEST_CASE("additions at indices read values that overlap the target as they were before") {
  Tensor index = Tensor::from(std::vector<int64_t>{1, 2, 3}, {3});
  for (bool scatter : {true, false}) {
    Tensor x = Tensor::from(std::vector<double>{1, 2, 3, 4}, {4});
    scatter ? scatter_add_into(x, 0, index, x.slice(0, 0, 3)) : index_add_into(x, index, x.slice(0, 0, 3));
    CHECK(x.to_vector() == std::vector<double>{1, 3, 5, 7});
  }
}

TEST_CASE("arange, linspace and eye") {
  CHECK(Tensor::arange(1, 2.5, 0.5).to_vector() == std::vector<double>{1, 1.5, 2});
  CHECK(Tensor::arange(3, 0, -2, DType::i64).to_vector() == std::vector<double>{3, 1});
  CHECK(Tensor::arange(2.0, 2.0).count() == 0);
  for (DType d : {DType::f32, DType::f64}) {  // 3 steps of 0.1 are rounded to the end, and so are many small ones
    CHECK(Tensor::arange(1, 1.3, 0.1, d).count() == 3);
    CHECK(Tensor::arange(-1, -1.3, -0.1, d).count() == 3);
    CHECK(Tensor::arange(0, 0.7, 0.1, d).count() == 7);
  }
  CHECK(max(Tensor::arange(1000, 1001, 1e-6)).item() == 1001 - 0x1p-14);
  // Beyond 2^24 many numbers are rounded to one f32. The count is that of the exact numbers below the end, minus
  // those at the end that are rounded up to it.
  for (double begin : {0.0, 0x1p24 - 5, 0x1p24, 1e8, -1e8})
    for (int n = 1; n <= 40; ++n)
      for (double sign : {1.0, -1.0}) {
        CAPTURE(begin);
        CAPTURE(n);
        Tensor t = Tensor::arange(sign * begin, sign * (begin + n), sign);
        int64_t want = n;
        while (static_cast<double>(static_cast<float>(begin + static_cast<double>(want - 1))) >= begin + n) --want;
        REQUIRE(t.count() == want);
        for (int64_t i = 0; i < want; ++i)
          CHECK(t.at({i}) == sign * static_cast<double>(static_cast<float>(begin + static_cast<double>(i))));
      }
  CHECK(Tensor::arange(0, 16777217).count() == 16777217);
  CHECK(Tensor::arange(1e8, 1e8 + 3).count() == 3);
  CHECK(Tensor::linspace(-1, 1, 5).to_vector() == std::vector<double>{-1, -0.5, 0, 0.5, 1});
  Tensor third = Tensor::linspace(0, 0.1, 4, DType::f64);
  CHECK(third.at({3}) == 0.1);
  CHECK(Tensor::linspace(-1.7e308, 1.7e308, 3, DType::f64).to_vector() == std::vector<double>{-1.7e308, 0, 1.7e308});
  CHECK(Tensor::linspace(4, 9, 0).count() == 0);
  CHECK(Tensor::linspace(4, 9, 1).item() == 4);
  CHECK(Tensor::eye(2, DType::boolean).to_vector() == std::vector<double>{1, 0, 0, 1});
}
