// Reductions over every set of axes and every layout against a sum in double; softmax and its relatives.
#include "tensor/reduce.h"

#include <doctest/doctest.h>

#include "tensor/kernels/layer_norm.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;
using test::layouts_of;
using test::sentence;

namespace {

// Sum over the axes of a bit set, in double, index by index. The reduced axes stay with size 1.
Tensor naive_sum(const Tensor& x, unsigned set) {
  Shape out = x.shape();
  for (int i = 0; i < x.rank(); ++i)
    if (set >> i & 1) out[i] = 1;
  Tensor y = Tensor::zeros(out, DType::f64);
  for (const Index& index : indices(x.shape())) {
    Index to = index;
    for (size_t i = 0; i < to.size(); ++i)
      if (set >> i & 1) to[i] = 0;
    test::element<double>(y, to) += test::value(x, index);
  }
  return y;
}

Tensor row(std::vector<float> v) { return Tensor::from(v, {static_cast<int64_t>(v.size())}); }

// softmax of the rows in long double
std::vector<double> naive_softmax(const std::vector<double>& x, size_t n) {
  std::vector<double> y(x.size());
  for (size_t r = 0; r < x.size(); r += n) {
    long double top = -INFINITY, total = 0;
    for (size_t i = 0; i < n; ++i) top = std::max<long double>(top, x[r + i]);
    for (size_t i = 0; i < n; ++i) total += std::exp(x[r + i] - top);
    for (size_t i = 0; i < n; ++i) y[r + i] = static_cast<double>(std::exp(x[r + i] - top) / total);
  }
  return y;
}

}  // namespace

TEST_CASE("sum over every subset of axes, every layout, f32 f64 i64") {
  Generator rng(1);
  for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 3, 4}, Shape{3, 1, 17, 2}, Shape{2, 0, 3}, Shape{0},
                             Shape{1, 1}, Shape{5, 70}, Shape{70, 5}})
    for (DType d : {DType::f32, DType::f64, DType::i64}) {
      Tensor x = Tensor::uniform(shape, rng, -9, 9).to(d);
      std::vector<Tensor> views = layouts_of(x);
      if (shape.rank() > 1 && shape[0] > 0) views.push_back(x.select(0, 0).unsqueeze(0).expand(shape));
      for (const Tensor& view : views)
        for (unsigned set = 1; set < (1u << shape.rank()); ++set) {
          Dims axes;
          Shape dropped;
          for (int i = 0; i < shape.rank(); ++i)
            if (set >> i & 1)
              axes.push_back(i % 2 ? i : i - shape.rank());  // from both ends
            else
              dropped.push_back(shape[i]);
          Tensor want = naive_sum(view, set);
          Tensor kept = sum(view, axes, /*keep=*/true), y = sum(view, axes);
          REQUIRE(kept.shape() == want.shape());
          REQUIRE(y.shape() == dropped);
          REQUIRE(y.dtype() == d);
          double tolerance = d == DType::f32 ? 1e-3 : d == DType::f64 ? 1e-12 : 0;
          REQUIRE(max_abs_difference(kept, want) <= tolerance);
          REQUIRE(y.to_vector() == kept.to_vector());
        }
      REQUIRE(max_abs_difference(sum(x), naive_sum(x, (1u << shape.rank()) - 1).reshape({})) <= 1e-3);
    }
}

TEST_CASE("sum: scalars, nothing, and errors") {
  Tensor s = Tensor::scalar(3);
  CHECK(sum(s).item() == 3);
  CHECK(&sum(s, {}).storage() != &s.storage());  // a result of its own, not a view
  CHECK(sum(Tensor::empty({0})).item() == 0);
  CHECK(sum(Tensor::empty({3, 0}), {1}).to_vector() == std::vector<double>{0, 0, 0});
  Tensor x = Tensor::ones({2, 3});
}

TEST_CASE("sum: 10^7 elements and 10^6 rows keep the digits of f32, to a few units of the last place") {
  // One chain a lane gave 998,501 and 99,985.
  CHECK(std::abs(sum(Tensor::full({10'000'000}, 0.1)).item() - 1e7 * 0.1f) < 1);
  Tensor rows = Tensor::full({1'000'000, 3}, 0.1), few = Tensor::full({1'000'000, 70}, 0.1);
  for (const Tensor& x : {rows, few, few.transpose(0, 1).contiguous().transpose(0, 1)})
    for (double v : sum(x, {0}).to_vector()) CHECK(std::abs(v - 1e6 * 0.1f) < 0.1);
  Generator rng(11);
  Tensor x = Tensor::uniform({3'000'017}, rng), y = Tensor::uniform({300'017, 5}, rng);
  CHECK(sum(x).item() == doctest::Approx(sum(x.to(DType::f64)).item()).epsilon(3e-7));
  Tensor exact = sum(y.to(DType::f64), {0});
  CHECK(max_abs_difference(sum(y, {0}).to(DType::f64), exact) < 3e-7 * 150'000);
  NormRows forward{{}, Tensor::zeros({1'000'000}), Tensor::ones({1'000'000})};
  for (double v : norm_rows_weight(rows, forward, Tensor::ones({1'000'000, 3})).to_vector())
    CHECK(std::abs(v - 1e6 * 0.1f) < 0.1);
}

TEST_CASE("sum_to undoes a broadcast") {
  Generator rng(2);
  Tensor x = Tensor::normal({2, 3, 4}, rng, 0, 1, DType::f64);
  for (const Shape& to : {Shape{2, 3, 4}, Shape{3, 4}, Shape{4}, Shape{1}, Shape{}, Shape{1, 3, 1}, Shape{3, 1},
                          Shape{1, 1, 4}, Shape{2, 1, 1}}) {
    Tensor y = sum_to(x, to);
    CHECK(y.shape() == to);
    // <sum_to(x), z> = <x, z broadcast>
    Tensor z = Tensor::normal(to, rng, 0, 1, DType::f64);
    CHECK(sum(mul(y, z)).item() == doctest::Approx(sum(mul(x, z)).item()).epsilon(1e-12));
  }
  CHECK(sum_to(Tensor::ones({1, 1, 3}), {3}).to_vector() == std::vector<double>{1, 1, 1});
  CHECK(sum_to(Tensor::empty({0, 3}), {3}).to_vector() == std::vector<double>{0, 0, 0});
  CHECK(sum_to(Tensor::empty({0, 3}), {1, 3}).to_vector() == std::vector<double>{0, 0, 0});
}

TEST_CASE("max, min and argmax along every axis; the first of equals; NaN wins") {
  Generator rng(3);
  for (DType d : {DType::f32, DType::f64, DType::i64}) {
    Tensor x = Tensor::uniform({4, 5, 6}, rng, -4, 4).to(DType::i64).to(d);  // many ties
    for (const Tensor& view : layouts_of(x))
      for (int64_t axis = -3; axis < 3; ++axis) {
        int at = static_cast<int>(axis < 0 ? axis + 3 : axis);
        Tensor top = max(view, axis), low = min(view, axis, /*keep=*/true), where_top = argmax(view, axis);
        REQUIRE(where_top.dtype() == DType::i64);
        for (Index i : indices(low.shape())) {
          double largest = -99, smallest = 99;
          int64_t position = -1;
          for (int64_t k = 0; k < x.size(at); ++k) {
            i[static_cast<size_t>(at)] = k;
            double v = test::value(view, i);
            if (v > largest) largest = v, position = k;
            smallest = std::min(smallest, v);
          }
          i[static_cast<size_t>(at)] = 0;
          REQUIRE(test::value(low, i) == smallest);
          i.erase(i.begin() + at);
          REQUIRE(test::value(top, i) == largest);
          REQUIRE(test::value(where_top, i) == static_cast<double>(position));
        }
      }
  }
  Tensor nan = row({1, NAN, 3, NAN});
  CHECK(std::isnan(max(nan, 0).item()));
  CHECK(std::isnan(min(nan, 0).item()));
  CHECK(argmax(nan, 0).item() == 1);
  CHECK(argmax(row({NAN, 5}), 0).item() == 0);
  CHECK(max(row({-INFINITY, -INFINITY}), 0).item() == -INFINITY);
  CHECK(argmax(row({-INFINITY, -INFINITY}), 0).item() == 0);
  CHECK(max(Tensor::empty({0, 3}), 1).shape() == Shape{0});
  CHECK_THROWS_AS(argmax(Tensor::scalar(1), 0), IndexError);
}

TEST_CASE("amax, amin, prod and logsumexp over every subset of axes, every layout") {
  Generator rng(8);
  for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 3, 4}, Shape{3, 1, 5, 2}, Shape{1, 1}})
    for (DType d : {DType::f32, DType::f64, DType::i64}) {
      Tensor x = Tensor::uniform(shape, rng, -3.9, 3.9).to(d);
      for (const Tensor& view : layouts_of(x))
        for (unsigned set = 1; set < (1u << shape.rank()); ++set) {
          Dims axes;
          Shape dropped, reduced = shape;
          for (int i = 0; i < shape.rank(); ++i)
            if (set >> i & 1)
              axes.push_back(i % 2 ? i : i - shape.rank()), reduced[i] = 1;
            else
              dropped.push_back(shape[i]);
          Tensor top = Tensor::full(reduced, -99, DType::f64), low = Tensor::full(reduced, 99, DType::f64),
                 product = Tensor::ones(reduced, DType::f64), total = Tensor::zeros(reduced, DType::f64);
          for (const Index& index : indices(shape)) {
            Index to = index;
            for (size_t i = 0; i < to.size(); ++i)
              if (set >> i & 1) to[i] = 0;
            double v = test::value(view, index);
            double &t = test::element<double>(top, to), &l = test::element<double>(low, to);
            t = std::max(t, v), l = std::min(l, v);
            test::element<double>(product, to) *= v;
            test::element<double>(total, to) += std::exp(v);
          }
          for (bool keep : {false, true}) {
            Shape out = keep ? reduced : dropped;
            REQUIRE(amax(view, axes, keep).shape() == out);
            REQUIRE(amax(view, axes, keep).dtype() == d);
            REQUIRE(amax(view, axes, keep).to_vector() == top.to_vector());
            REQUIRE(amin(view, axes, keep).shape() == out);
            REQUIRE(amin(view, axes, keep).to_vector() == low.to_vector());
            auto got = prod(view, axes, keep).to_vector(), want = product.to_vector();
            REQUIRE(prod(view, axes, keep).shape() == out);
            for (size_t i = 0; i < want.size(); ++i)
              REQUIRE(got[i] == doctest::Approx(want[i]).epsilon(d == DType::f32 ? 1e-5 : 1e-13));
            if (d == DType::i64) continue;
            got = logsumexp(view, axes, keep).to_vector(), want = total.to_vector();
            REQUIRE(logsumexp(view, axes, keep).shape() == out);
            for (size_t i = 0; i < want.size(); ++i)
              REQUIRE(std::abs(got[i] - std::log(want[i])) <= (d == DType::f32 ? 3e-6 : 1e-14));
          }
        }
    }
}

TEST_CASE("amax, amin, prod and logsumexp: all axes, scalars, nothing, NaN, errors") {
  Tensor x = Tensor::from(std::vector<float>{3, -1, NAN, 2, 5, 4}, {2, 3});
  CHECK(std::isnan(amax(x).item()));
  CHECK(amax(x.slice(1, 0, 2)).item() == 5);
  CHECK(amin(x.slice(1, 0, 2)).item() == -1);
  CHECK(std::isnan(amin(x, {0}).at({2})) == true);
  for (auto f : {amax, amin, prod}) {
    Tensor s = Tensor::scalar(3);
    CHECK(f(s, {}, false).item() == 3);
    CHECK(&f(s, {}, false).storage() != &s.storage());
    Tensor single = Tensor::ones({2, 1});
    CHECK(&f(single, {1}, true).storage() != &single.storage());
    CHECK_THROWS_AS(f(x, {0, -2}, false), IndexError);
    CHECK_THROWS_AS(f(x, {2}, false), IndexError);
    CHECK_THROWS_AS(f(Tensor::from_bools({1}, {1}), {}, false), DTypeError);
  }
  CHECK(sentence<IndexError>([] { amin(Tensor::empty({0})); }) == "amin: the axis is empty; got [0]");
  CHECK(amax(Tensor::empty({2, 0}), {0}).shape() == Shape{0});
  CHECK(prod(Tensor::empty({2, 0}), {1}).to_vector() == std::vector<double>{1, 1});
  CHECK(prod(Tensor::empty({2, 0})).item() == 1);
  CHECK(prod(Tensor::arange(5)).item() == 0);
  CHECK(prod(add(Tensor::arange(5), 1)).item() == 120);
  CHECK(logsumexp(Tensor::empty({2, 0}), {0, 1}).item() == -INFINITY);
  CHECK(logsumexp(Tensor::empty({2, 0}), {0}).shape() == Shape{0});
  CHECK(logsumexp(Tensor::scalar(2.5)).item() == 2.5);
  CHECK(logsumexp(Tensor::full({2, 3}, -INFINITY), {0}).to_vector() == std::vector<double>(3, -INFINITY));
  CHECK(logsumexp(Tensor::full({4, 2}, 1000), {0}).at({0}) == doctest::Approx(1000 + std::log(4.0)));
  Tensor ties = Tensor::from(std::vector<int64_t>{4, 2, 2, 7}, {4});
  CHECK(argmin(ties, 0).item() == 1);
  CHECK(argmin(row({1, NAN}), 0).item() == 1);
}

TEST_CASE("cumsum from the end is cumsum of the reversed axis") {
  for (DType d : {DType::f64, DType::i64}) {
    Tensor x = Tensor::from(std::vector<int64_t>{1, 2, 3, 10, 20, 30}, {2, 3}).to(d);
    for (const Tensor& v : layouts_of(x)) {
      CHECK(cumsum(v, 1, {.reverse = true}).to_vector() == std::vector<double>{6, 5, 3, 60, 50, 30});
      CHECK(cumsum(v, 0, {.reverse = true}).to_vector() == std::vector<double>{11, 22, 33, 10, 20, 30});
    }
  }
  CHECK_THROWS_AS(cumsum(Tensor::scalar(1), 0), IndexError);
}

TEST_CASE("linear_scan carries each number on with its own factor, from either end") {
  const Tensor a = row({9, 2, -1, 0.5}), x = row({1, 1, 1, 4});
  CHECK(linear_scan(a, x, 0).to_vector() == std::vector<double>{1, 3, -2, 3});
  CHECK(linear_scan(a, x, 0, {.reverse = true}).to_vector() == std::vector<double>{-3, -2, 3, 4});
  Generator rng(3);
  const Tensor some = Tensor::uniform({3, 5, 2100}, rng).to(DType::f64),
               ones = Tensor::full(some.shape(), 1, DType::f64);  // more than one strip
  for (int64_t axis : {0, 1, 2})
    for (bool reverse : {false, true})
      CHECK(
          amax(abs(sub(linear_scan(ones, some, axis, {.reverse = reverse}), cumsum(some, axis, {.reverse = reverse}))))
              .item() < 2e-4);
  CHECK_THROWS_AS(linear_scan(a, row({1}), 0), ShapeError);
  CHECK_THROWS_AS(linear_scan(a, x.to(DType::f64), 0), DTypeError);
  CHECK_THROWS_AS(linear_scan(a.to(DType::i64), x.to(DType::i64), 0), DTypeError);
}

TEST_CASE("cumsum along every axis") {
  Generator rng(4);
  for (DType d : {DType::f32, DType::f64, DType::i64})
    for (const Tensor& x : layouts_of(Tensor::uniform({3, 4, 5}, rng, -9, 9).to(d)))
      for (int axis = 0; axis < 3; ++axis) {
        Tensor y = cumsum(x, axis - 3);
        for (const Index& i : indices(x.shape())) {
          double total = 0;
          Index j = i;
          for (int64_t k = 0; k <= i[static_cast<size_t>(axis)]; ++k) {
            j[static_cast<size_t>(axis)] = k;
            total += test::value(x, j);
          }
          REQUIRE(test::value(y, i) == doctest::Approx(total).epsilon(1e-5));
        }
      }
  CHECK(cumsum(Tensor::empty({2, 0}), 1).shape() == Shape{2, 0});
  CHECK(cumsum(row({1, INFINITY, -INFINITY, 1}), 0).at({1}) == INFINITY);
  CHECK(std::isnan(cumsum(row({1, INFINITY, -INFINITY, 1}), 0).at({3})));
}

TEST_CASE("softmax, log_softmax and logsumexp against long double, every row length, every layout") {
  Generator rng(5);
  for (int64_t n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 257})
    for (DType d : {DType::f32, DType::f64})
      for (const Tensor& x : layouts_of(Tensor::normal({3, n}, rng, 0, 4, d))) {
        double tolerance = d == DType::f32 ? 1e-6 : 1e-14;
        std::vector<double> want = naive_softmax(x.to_vector(), static_cast<size_t>(n));
        Tensor p = softmax_rows(x), log_p = log_softmax_rows(x), z = logsumexp_rows(x);
        REQUIRE(z.shape() == Shape{3});
        std::vector<double> in = x.to_vector(), got = p.to_vector(), logs = log_p.to_vector();
        for (size_t i = 0; i < want.size(); ++i) {
          REQUIRE(std::abs(got[i] - want[i]) <= tolerance);
          REQUIRE(std::abs(logs[i] - std::log(want[i])) <= 8 * tolerance * std::max(1.0, std::abs(logs[i])));
          REQUIRE(std::abs(in[i] - z.to_vector()[i / static_cast<size_t>(n)] - std::log(want[i])) <=
                  20 * tolerance * std::max(1.0, std::abs(in[i])));
        }
      }
}

TEST_CASE("cross_entropy_rows_backward is softmax minus smoothed targets, in rows that count") {
  for (DType d : {DType::f32, DType::f64})
    for (int64_t V : {1, 5, 16, 40, 131}) {
      Generator rng(6);
      Tensor x = Tensor::normal({4, V}, rng, 0, 3, d),
             scale = Tensor::from(std::vector<double>{1, -0.5, 0, 2}, {4}).to(d);
      Tensor targets = Tensor::from(std::vector<int64_t>{0, V - 1, V / 2, V / 3}, {4});
      for (int64_t v = 0; v < V; ++v) x.set({3, v}, -INFINITY), x.set({2, v}, NAN);
      double on = 0.9, off = 0.1 / static_cast<double>(V);
      Tensor want = sub(softmax_rows(x), off);
      for (int64_t r = 0; r < 4; ++r) {
        int64_t t = targets.data<int64_t>()[r];
        want.set({r, t}, want.at({r, t}) - on);
      }
      want = masked_fill(mul(want, scale.unsqueeze(1)), equal(scale, 0).unsqueeze(1), 0);
      for (const Tensor& layout : layouts_of(x)) {
        Tensor got = cross_entropy_rows_backward(layout, {.index = targets, .on = on, .off = off}, scale);
        CHECK(max_abs_difference(got, want) <= (d == DType::f32 ? 5e-7 : 1e-15));
      }
    }
}

TEST_CASE("softmax at the edges: huge, masked, empty, NaN") {
  CHECK(softmax_rows(row({1e38f, 1e38f, -1e38f})).to_vector() == std::vector<double>{0.5, 0.5, 0});
  CHECK(softmax_rows(row({1000, 0, -1000})).to_vector() == std::vector<double>{1, 0, 0});
  CHECK(softmax_rows(row({3, -INFINITY, 3})).to_vector() == std::vector<double>{0.5, 0, 0.5});
  CHECK(softmax_rows(row({-INFINITY, -INFINITY})).to_vector() == std::vector<double>{0, 0});  // reads nothing
  CHECK(log_softmax_rows(row({-INFINITY, -INFINITY})).to_vector() == std::vector<double>{-INFINITY, -INFINITY});
  CHECK(logsumexp_rows(row({-INFINITY, -INFINITY})).item() == -INFINITY);
  CHECK(logsumexp_rows(row({INFINITY, 1})).item() == INFINITY);
  CHECK(logsumexp_rows(row({1000, 1000})).item() == doctest::Approx(1000 + std::log(2.0)));
  CHECK(log_softmax_rows(row({1000, 0})).to_vector() == std::vector<double>{0, -1000});
  for (double v : softmax_rows(row({1, NAN, 3})).to_vector()) CHECK(std::isnan(v));
  for (double v : log_softmax_rows(row({1, NAN, 3})).to_vector()) CHECK(std::isnan(v));
  CHECK(std::isnan(logsumexp_rows(row({1, NAN, -INFINITY})).item()));
  Tensor late = Tensor::zeros({40});
  late.set({37}, NAN);  // in the tail of a row
  CHECK(std::isnan(softmax_rows(late).at({0})));
  late.set({37}, 0), late.set({5}, NAN);
  CHECK(std::isnan(softmax_rows(late).at({39})));
  CHECK(softmax_rows(Tensor::empty({2, 0})).shape() == Shape{2, 0});
  CHECK(logsumexp_rows(Tensor::empty({2, 0})).to_vector() == std::vector<double>{-INFINITY, -INFINITY});
  CHECK(softmax_rows(Tensor::empty({0, 3})).shape() == Shape{0, 3});
}

TEST_CASE("softmax: scores that overflowed to +inf share the row equally, wherever they are in it") {
  for (DType d : {DType::f32, DType::f64}) {
    CHECK(softmax_rows(row({1e30f, INFINITY, -INFINITY, -3}).to(d)).to_vector() == std::vector<double>{0, 1, 0, 0});
    CHECK(softmax_rows(row({INFINITY, -INFINITY, 2, INFINITY}).to(d)).to_vector() ==
          std::vector<double>{0.5, 0, 0, 0.5});
    CHECK(softmax_rows(row({INFINITY}).to(d)).item() == 1);
    for (double v : softmax_rows(row({INFINITY, NAN, 3}).to(d)).to_vector()) CHECK(std::isnan(v));
    for (int64_t n : {5, 16, 37, 100}) {
      Tensor x = Tensor::zeros({3, n}, d), want = Tensor::zeros({3, n}, d);
      x.set({1, 2}, INFINITY), x.set({1, n - 1}, INFINITY), want.set({1, 2}, 0.5), want.set({1, n - 1}, 0.5);
      for (int64_t r : {0, 2})  // the rows beside it are as ever
        for (int64_t i = 0; i < n; ++i) want.set({r, i}, 1 / static_cast<double>(n));
      for (const Tensor& layout : layouts_of(x))
        CHECK(max_abs_difference(softmax_rows(layout), want) < (d == DType::f32 ? 1e-8 : 1e-17));
    }
  }
  CHECK(log_softmax_rows(row({INFINITY, 1})).to_vector() == std::vector<double>{0, -INFINITY});
  for (double v : log_softmax_rows(row({INFINITY, NAN, 3})).to_vector()) CHECK(std::isnan(v));
}

TEST_CASE("the gradient of softmax is y (dy - sum y dy)") {
  Generator rng(6);
  for (int64_t n : {1, 5, 16, 17, 50}) {
    Tensor y = softmax_rows(Tensor::normal({4, n}, rng, 0, 2, DType::f64));
    Tensor dy = Tensor::normal({4, n}, rng, 0, 1, DType::f64);
    Tensor want = mul(y, sub(dy, sum(mul(y, dy), {1}, /*keep=*/true)));
    for (const Tensor& a : layouts_of(y))
      for (const Tensor& b : layouts_of(dy)) REQUIRE(max_abs_difference(softmax_rows_backward(a, b), want) < 1e-15);
  }
  CHECK(softmax_rows_backward(Tensor::empty({2, 0}), Tensor::empty({2, 0})).count() == 0);
  CHECK_THROWS_AS(softmax_rows_backward(Tensor::scalar(1), Tensor::scalar(1)), ShapeError);
}

TEST_CASE("cumsum keeps its digits over millions of elements, forwards and backwards") {
  Tensor x = Tensor::full({1000000}, 0.1);
  CHECK(cumsum(x, 0).at({-1}) == doctest::Approx(100000).epsilon(1e-6));
  CHECK(cumsum(x, 0, {.reverse = true}).at({0}) == doctest::Approx(100000).epsilon(1e-6));
  CHECK(cumsum(Tensor::from(std::vector<int64_t>{1, 2, 3, 4}, {2, 2}), 0).to_vector() ==
        std::vector<double>{1, 2, 4, 6});
}
