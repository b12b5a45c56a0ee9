// Every elementwise function against the C library or plain C++, on every layout.
//
// NaN and infinities: arithmetic follows IEEE 754. maximum and minimum give NaN if either argument is NaN; relu, clamp
// and sign pass NaN through; comparisons with NaN are false. pow(x, 0.5) is sqrt, so pow(-inf, 0.5) is NaN.
#include "tensor/elementwise.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;
using test::layouts_of;
using test::sentence;
using test::ulps;

namespace {

const std::vector<Shape> kShapes = {{}, {1}, {37}, {3, 4, 5}, {2, 33}, {5, 1, 3}, {0}, {2, 0, 3}, {2, 1, 3, 2}};

// A handful of special values among random ones in [low, high].
template <class T>
Tensor sample(const Shape& shape, double low, double high, bool special, uint64_t seed = 1) {
  Generator rng(seed);
  Tensor t = Tensor::uniform(shape, rng, low, high, DTypeOf<T>::value);
  const T odd[] = {0,
                   -T{0},
                   1,
                   -1,
                   std::numeric_limits<T>::infinity(),
                   -std::numeric_limits<T>::infinity(),
                   std::numeric_limits<T>::quiet_NaN(),
                   std::numeric_limits<T>::denorm_min(),
                   std::numeric_limits<T>::max()};
  if (special)
    for (int64_t i = 0, n = t.count(); i < n; ++i)
      if (rng.below(3) == 0) t.data<T>()[i] = odd[rng.below(9)];
  return t;
}

template <class T>
struct Unary {
  const char* name;
  Tensor (*ours)(const Tensor&);
  long double (*exact)(T);
  double low, high, bound;
};
template <class T>
std::vector<Unary<T>> unary_functions() {
  using L = long double;
  return {
      {"neg", neg, [](T x) -> L { return -x; }, -9, 9, 0},
      {"abs", abs, [](T x) -> L { return std::abs(x); }, -9, 9, 0},
      {"square", square, [](T x) -> L { return x * x; }, -9, 9, 0},
      {"reciprocal", reciprocal, [](T x) -> L { return T{1} / x; }, -9, 9, 0},
      {"sqrt", sqrt, [](T x) -> L { return std::sqrt(x); }, 0, 9, 0},
      {"relu", relu, [](T x) -> L { return x < 0 ? T{0} : x; }, -9, 9, 0},
      {"sign", sign, [](T x) -> L { return std::isnan(x) ? x : T((x > 0) - (x < 0)); }, -9, 9, 0},
      {"rsqrt", rsqrt, [](T x) -> L { return T{1} / std::sqrt(x); }, 0, 9, 0},
      {"floor", floor, [](T x) -> L { return std::floor(x); }, -9, 9, 0},
      {"round", round, [](T x) -> L { return std::nearbyint(x); }, -9, 9, 0},
      {"sin", sin, [](T x) -> L { return std::sin(L{x}); }, -20, 20, 1},
      {"cos", cos, [](T x) -> L { return std::cos(L{x}); }, -20, 20, 1},
      {"erf", erf, [](T x) -> L { return std::erf(L{x}); }, -5, 5, 2},
      {"expm1", expm1, [](T x) -> L { return std::expm1(L{x}); }, -20, 20, 2},
      {"log1p", log1p, [](T x) -> L { return std::log1p(L{x}); }, -1, 9, 2},
      {"exp", exp, [](T x) -> L { return std::exp(L{x}); }, -20, 20, 2},
      {"log", log, [](T x) -> L { return std::log(L{x}); }, 0, 9, 2},
      {"tanh", tanh, [](T x) -> L { return std::tanh(L{x}); }, -9, 9, 2},
      {"sigmoid", sigmoid,
       [](T x) -> L { return x < 0 ? std::exp(L{x}) / (1 + std::exp(L{x})) : 1 / (1 + std::exp(-L{x})); }, -20, 20, 2}};
}

// The same layouts, and one in which an axis is repeated (its own reference: values are read back through strides).
template <class T>
std::vector<Tensor> inputs(const Shape& shape, double low, double high, bool special, uint64_t seed = 1) {
  std::vector<Tensor> out = layouts_of(sample<T>(shape, low, high, special, seed));
  if (shape.rank() > 1) {
    Shape single = shape;
    single[0] = shape[0] ? 1 : 0;
    out.push_back(sample<T>(single, low, high, special, seed).expand(shape));
  }
  return out;
}

template <class T>
void check_unary() {
  for (const auto& f : unary_functions<T>())
    for (const Shape& shape : kShapes)
      for (bool special : {false, true})
        for (const Tensor& x : inputs<T>(shape, f.low, f.high, special)) {
          Tensor y = f.ours(x);
          REQUIRE(y.shape() == shape);
          REQUIRE(y.dtype() == x.dtype());
          REQUIRE(y.is_contiguous());
          int64_t at = 0;
          for (const Index& i : indices(shape)) {
            T got = y.data<T>()[at++], in = test::element<T>(x, i);
            INFO(std::string(f.name), "(", in, ") gave ", got);
            REQUIRE(ulps(got, f.exact(in)) <= f.bound);
          }
        }
}

template <class T>
struct Binary {
  const char* name;
  Tensor (*ours)(const Tensor&, const Tensor&);
  T (*exact)(T, T);
};
template <class T>
T nan_or(T p, T q, T otherwise) {
  return std::isnan(p) ? p : std::isnan(q) ? q : otherwise;
}

template <class T>
void check_binary() {
  const std::vector<Binary<T>> functions = {
      {"add", add, [](T p, T q) { return p + q; }},
      {"sub", sub, [](T p, T q) { return p - q; }},
      {"mul", mul, [](T p, T q) { return p * q; }},
      {"div", div, [](T p, T q) { return p / q; }},
      {"maximum", maximum, [](T p, T q) { return nan_or(p, q, p > q ? p : q); }},
      {"minimum", minimum, [](T p, T q) { return nan_or(p, q, p < q ? p : q); }},
      {"pow", pow, [](T p, T q) { return std::pow(p, q); }},
  };
  for (const auto& f : functions)
    for (const Shape& shape : kShapes) {
      auto lefts = inputs<T>(shape, -3, 3, true, 1), rights = inputs<T>(shape, -3, 3, true, 2);
      for (const Tensor& a : lefts)
        for (const Tensor& b : rights) {
          Tensor y = f.ours(a, b);
          REQUIRE(y.shape() == shape);
          int64_t at = 0;
          for (const Index& i : indices(shape)) {
            T p = test::element<T>(a, i), q = test::element<T>(b, i), got = y.data<T>()[at++];
            INFO(std::string(f.name), "(", p, ", ", q, ") gave ", got);
            REQUIRE(ulps(got, f.exact(p, q)) == 0);
          }
        }
    }
}

}  // namespace

TEST_CASE("one argument, f32 and f64, every layout, special values") {
  check_unary<float>();
  check_unary<double>();
}

TEST_CASE("two arguments, f32 and f64, every pair of layouts, special values") {
  check_binary<float>();
  check_binary<double>();
}

TEST_CASE("integers") {
  Tensor a = Tensor::from(std::vector<int64_t>{-3, 0, 7, 1000, 5, -9, 1, 2, 3, 4}, {2, 5});
  Tensor b = Tensor::from(std::vector<int64_t>{2, 5, -7, 0, 5}, {5});
  for (const Tensor& x : layouts_of(a)) {
    CHECK(bit_equal(add(x, b).select(1, 2), Tensor::from(std::vector<int64_t>{0, -5}, {2})));
    CHECK(bit_equal(sub(x, b).select(1, 0), Tensor::from(std::vector<int64_t>{-5, -11}, {2})));
    CHECK(bit_equal(mul(x, b).select(1, 4), Tensor::from(std::vector<int64_t>{25, 20}, {2})));
    CHECK(bit_equal(maximum(x, b).select(0, 0), Tensor::from(std::vector<int64_t>{2, 5, 7, 1000, 5}, {5})));
    CHECK(bit_equal(minimum(x, b).select(0, 0), Tensor::from(std::vector<int64_t>{-3, 0, -7, 0, 5}, {5})));
    CHECK(bit_equal(neg(x).select(0, 0), Tensor::from(std::vector<int64_t>{3, 0, -7, -1000, -5}, {5})));
    CHECK(bit_equal(abs(x).select(1, 0), Tensor::from(std::vector<int64_t>{3, 9}, {2})));
    CHECK(bit_equal(square(x).select(1, 2), Tensor::from(std::vector<int64_t>{49, 4}, {2})));
    CHECK(bit_equal(mul(x, 3.0).select(1, 0), Tensor::from(std::vector<int64_t>{-9, -27}, {2})));
    CHECK(bit_equal(add(x, 3.0).select(1, 0), Tensor::from(std::vector<int64_t>{0, -6}, {2})));
  }
  const std::vector<Tensor (*)(const Tensor&)> real = {exp,        log,   sqrt, tanh, sigmoid, relu,  sign,  floor,
                                                       reciprocal, rsqrt, sin,  cos,  erf,     expm1, log1p, round};
  for (auto f : real) CHECK_THROWS_AS(f(a), DTypeError);
}

TEST_CASE("scalars, clamp and powers") {
  Tensor x = Tensor::from(std::vector<float>{-2, -0.5f, 0, 0.5f, 2, NAN, INFINITY, -INFINITY}, {2, 4});
  auto is = [](const Tensor& y, std::vector<float> want) {
    bool same = y.count() == static_cast<int64_t>(want.size());
    for (int64_t i = 0; same && i < y.count(); ++i) {
      float w = want[static_cast<size_t>(i)], got = y.data<float>()[i];
      same = std::isnan(w) ? std::isnan(got) : got == w;
    }
    return same;
  };
  for (const Tensor& v : layouts_of(x)) {
    CHECK(is(add(v, 1.5), {-0.5f, 1, 1.5f, 2, 3.5f, NAN, INFINITY, -INFINITY}));
    CHECK(is(sub(v, 1.5), {-3.5f, -2, -1.5f, -1, 0.5f, NAN, INFINITY, -INFINITY}));
    CHECK(is(sub(1.5, v), {3.5f, 2, 1.5f, 1, -0.5f, NAN, -INFINITY, INFINITY}));
    CHECK(is(div(v, 3), {-2 / 3.0f, -0.5f / 3, 0, 0.5f / 3, 2 / 3.0f, NAN, INFINITY, -INFINITY}));
    CHECK(is(div(3, v), {-1.5f, -6, INFINITY, 6, 1.5f, NAN, 0, 0}));
    CHECK(is(floor(v), {-2, -1, 0, 0, 2, NAN, INFINITY, -INFINITY}));
    CHECK(is(round(mul(v, 5)), {-10, -2, 0, 2, 10, NAN, INFINITY, -INFINITY}));  // halves to the even one
    CHECK(is(mul(v, -2), {4, 1, 0, -1, -4, NAN, -INFINITY, INFINITY}));
    CHECK(is(clamp(v, -1, 0.25), {-1, -0.5f, 0, 0.25f, 0.25f, NAN, 0.25f, -1}));
    CHECK(is(clamp(v, 0, INFINITY), {0, 0, 0, 0.5f, 2, NAN, INFINITY, 0}));
    CHECK(is(pow(v, 2), {4, 0.25f, 0, 0.25f, 4, NAN, INFINITY, INFINITY}));
    CHECK(is(pow(v, 3), {-8, -0.125f, 0, 0.125f, 8, NAN, INFINITY, -INFINITY}));
    CHECK(is(pow(v, 0), {1, 1, 1, 1, 1, 1, 1, 1}));
    CHECK(is(pow(v, -1), {-0.5f, -2, INFINITY, 2, 0.5f, NAN, 0, 0}));
    CHECK(is(pow(v, 0.5), {NAN, NAN, 0, std::sqrt(0.5f), std::sqrt(2.0f), NAN, INFINITY, NAN}));
  }
  CHECK(std::signbit(abs(Tensor::scalar(-0.0)).item()) == false);
  CHECK(std::signbit(neg(Tensor::scalar(0.0)).item()));
}

TEST_CASE("where and masked_fill broadcast all three arguments") {
  Generator rng(3);
  for (DType d : {DType::f32, DType::f64, DType::i64}) {
    Tensor a = Tensor::uniform({2, 1, 5}, rng, -9, 9).to(d), b = Tensor::uniform({3, 1}, rng, -9, 9).to(d);
    Tensor mask = greater(Tensor::uniform({4, 1, 3, 5}, rng, -1, 1), 0);
    for (const Tensor& m : layouts_of(mask))
      for (const Tensor& p : layouts_of(a)) {
        Tensor y = where(m, p, b);
        REQUIRE(y.shape() == Shape{4, 2, 3, 5});
        for (const Index& i : indices(y.shape()))
          REQUIRE(test::value(y, i) == (test::value(m, {i[0], 0, i[2], i[3]}) != 0 ? test::value(p, {i[1], 0, i[3]})
                                                                                   : test::value(b, {i[2], 0})));
      }
    Tensor filled = masked_fill(a, mask.select(0, 0), -7);
    CHECK(filled.shape() == Shape{2, 3, 5});
    for (const Index& i : indices(filled.shape()))
      CHECK(test::value(filled, i) == (mask.at({0, 0, i[1], i[2]}) != 0 ? -7 : test::value(a, {i[0], 0, i[2]})));
  }
  CHECK(where(Tensor::ones({0, 1}, DType::boolean), Tensor::ones({3}), Tensor::scalar(1)).shape() == Shape{0, 3});
}

TEST_CASE("writes go to every layout of the target, and nowhere else") {
  for (const Shape& shape : kShapes)
    for (DType d : {DType::f32, DType::f64, DType::i64}) {
      Generator rng(4);
      Tensor dense = Tensor::uniform(shape, rng, -9, 9).to(d), x = Tensor::uniform(shape, rng, -9, 9).to(d);
      const Tensor original = dense.clone();
      for (Tensor y : layouts_of(dense)) {
        Tensor whole = y.as_strided({static_cast<int64_t>(y.storage().bytes / size_of(d))}, {1}, 0);
        Tensor expected = original;
        auto untouched = [&] {
          double n = 0;
          for (double v : whole.to_vector()) n += v == 77;
          return n;
        };
        double outside = untouched();
        uint32_t version = y.version();
        add_into(y, x);
        expected = add(expected, x);
        REQUIRE(bit_equal(y, expected));
        add_into(y, x, -3);
        REQUIRE(max_abs_difference(y, add(expected, mul(x, -3))) < 1e-5);
        expected = y.clone();
        scale_into(y, 2);
        expected = mul(expected, 2);
        REQUIRE(bit_equal(y, expected));
        copy_into(y, x);
        REQUIRE(bit_equal(y, x));
        fill_into(y, 5);
        REQUIRE(bit_equal(y, Tensor::full(shape, 5, d)));
        REQUIRE(y.version() == version + 5);
        REQUIRE(untouched() == outside);
      }
    }
}

TEST_CASE("writes broadcast the value, never the target") {
  Tensor y = Tensor::zeros({2, 3});
  add_into(y, Tensor::arange(3, DType::f32));
  CHECK(y.to_vector() == std::vector<double>{0, 1, 2, 0, 1, 2});
  copy_into(y, Tensor::scalar(4));
  CHECK(y.to_vector() == std::vector<double>{4, 4, 4, 4, 4, 4});
  Tensor row = Tensor::zeros({1, 3});
  CHECK(sentence<ShapeError>([&] { add_into(row, y); }) ==
        "add_into: the value must broadcast to the target's shape; got target [1, 3] and value [2, 3]");
}

TEST_CASE("writes read their source as it was, where the two overlap") {
  auto fresh = [] { return Tensor::arange(9, DType::f32).view({3, 3}); };
  Tensor a = fresh(), before = a.clone();
  add_into(a, a.transpose(0, 1));
  CHECK(bit_equal(a, add(before, before.transpose(0, 1))));
  a = fresh();
  copy_into(a, a.transpose(0, 1));
  CHECK(bit_equal(a, before.transpose(0, 1).contiguous()));
  a = fresh();
  add_into(a, a.select(0, 1));  // a row of the target, broadcast
  CHECK(bit_equal(a, add(before, before.select(0, 1))));
  a = fresh();
  copy_into(a, a.select(0, 2).select(0, 2));
  CHECK(bit_equal(a, Tensor::full({3, 3}, 8)));
  for (int64_t shift : {1, -1}) {  // windows that are moved, long ones too
    Tensor whole = Tensor::arange(100001, DType::f64), original = whole.clone();
    Tensor left = whole.slice(0, 0, 100000), right = whole.slice(0, 1, 100001);
    Tensor &to = shift > 0 ? right : left, &from = shift > 0 ? left : right;
    copy_into(to, from);
    CHECK(bit_equal(to, original.slice(0, shift > 0 ? 0 : 1, shift > 0 ? 100000 : 100001)));
    add_into(to, from);
    original = whole.clone();
    Tensor every = whole.slice(0, 0, 100000, 2);
    copy_into(every, whole.slice(0, 50000, 100000));
    CHECK(bit_equal(every, original.slice(0, 50000, 100000)));
  }
  a = fresh();
  add_into(a, a, 2);  // the same elements in the same places: nothing to mind
  CHECK(bit_equal(a, mul(before, 3)));
}

TEST_CASE("writes refuse a target that holds an element twice") {
  Tensor storage = Tensor::zeros({10});
  for (Tensor y : {storage.as_strided({4, 3}, {1, 1}, 0), storage.as_strided({3, 4}, {2, 1}, 0),
                   storage.as_strided({2, 2}, {3, 3}, 0)}) {
    Tensor ones = Tensor::ones(y.shape());
    for (const auto& write : std::vector<std::function<void()>>{[&] { copy_into(y, ones); }, [&] { add_into(y, ones); },
                                                                [&] { scale_into(y, 2); }, [&] { fill_into(y, 1); }})
      CHECK(sentence<ValueError>(write).find("the target must not repeat elements; got [") != std::string::npos);
  }
  Tensor windows = storage.as_strided({3, 3}, {3, 1}, 0), flipped = storage.as_strided({2, 3}, {1, 2}, 0);
  fill_into(windows, 1);
  fill_into(flipped, 2);
  CHECK(storage.to_vector() == std::vector<double>{2, 2, 2, 2, 2, 2, 1, 1, 1, 0});
}

TEST_CASE("a scalar that the dtype cannot hold is refused, not cut") {
  Tensor x = Tensor::arange(3), mask = Tensor::from_bools({1, 0, 1}, {3});
  const std::string rule =
      ": the scalar must be a value of the tensor's dtype; got 0.5 for i64; convert with "
      "to(DType::f32)";
  CHECK(sentence<ValueError>([&] { add(x, 0.5); }) == "add" + rule);
  CHECK(sentence<ValueError>([&] { mul(x, 0.5); }) == "mul" + rule);
  CHECK(sentence<ValueError>([&] { sub(0.5, x); }) == "sub" + rule);
  CHECK(sentence<ValueError>([&] { add_into(x, x, 0.5); }) == "add_into" + rule);
  CHECK(sentence<ValueError>([&] { scale_into(x, 0.5); }) == "scale_into" + rule);
  CHECK(sentence<ValueError>([&] { fill_into(x, 0.5); }) == "fill_into" + rule);
  CHECK(sentence<ValueError>([&] { masked_fill(x, mask, 0.5); }) == "masked_fill" + rule);
  CHECK_THROWS_AS(masked_fill(x, mask, NAN), ValueError);
  CHECK_THROWS_AS(fill_into(x, -INFINITY), ValueError);
  CHECK_THROWS_AS(add(x, 0x1p63), ValueError);
  CHECK_THROWS_AS(fill_into(mask, 0.5), ValueError);
  CHECK(x.to_vector() == std::vector<double>{0, 1, 2});
  CHECK(add(x, -0x1p63).data<int64_t>()[0] == INT64_MIN);
  CHECK(sub(x, 2).to_vector() == std::vector<double>{-2, -1, 0});
  CHECK(sub(2, x).to_vector() == std::vector<double>{2, 1, 0});
}

TEST_CASE("looking for what is not finite") {
  Tensor x = Tensor::zeros({3, 4});
  CHECK(all_finite(x));
  x.set({2, 1}, INFINITY);
  CHECK_FALSE(all_finite(x));
  CHECK(first_not_finite(x, /*infinities=*/true) == 9);
  CHECK(first_not_finite(x, /*infinities=*/false) == -1);
  x.set({2, 3}, NAN);
  CHECK(first_not_finite(x, /*infinities=*/false) == 11);
  CHECK(first_not_finite(x.transpose(0, 1), /*infinities=*/true) == 5);
  CHECK(all_finite(Tensor::arange(3)));
}

TEST_CASE("comparing tensors as a whole") {
  Tensor a = Tensor::from(std::vector<float>{0, NAN, 1}, {3}), b = a.clone();
  CHECK(bit_equal(a, b));
  b.set({0}, -0.0);
  CHECK_FALSE(bit_equal(a, b));
  CHECK_FALSE(bit_equal(a, a.to(DType::f64)));
  CHECK_FALSE(bit_equal(a, a.unsqueeze(0)));
  CHECK(bit_equal(Tensor::empty({0, 2}), Tensor::empty({0, 2})));
  auto of = [](std::vector<float> v) { return Tensor::from(v, {static_cast<int64_t>(v.size())}); };
  CHECK(max_abs_difference(of({1, 5, INFINITY}), of({2, 3, INFINITY})) == 2);
  CHECK(max_abs_difference(of({INFINITY}), of({-INFINITY})) == INFINITY);
  CHECK(max_abs_difference(Tensor::empty({0}), Tensor::empty({0})) == 0);
  CHECK(std::isnan(max_abs_difference(of({NAN, 1, 1}), of({0, 1, 2}))));  // a NaN is not forgotten behind it
  CHECK(std::isnan(max_abs_difference(of({1, NAN}), of({5, 0}))));
}
