// Views: the right elements, no copy, and the rule of when a shape can change without one.
#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;
using test::sentence;

namespace {

Tensor counting(const Shape& shape) { return Tensor::arange(element_count(shape)).view(shape); }

bool shares(const Tensor& a, const Tensor& b) { return &a.storage() == &b.storage(); }

// Positions in the storage in row-major order of the index.
std::vector<int64_t> positions(const Tensor& t) {
  std::vector<int64_t> out;
  for (const Index& index : indices(t.shape())) {
    int64_t at = t.offset();
    for (size_t i = 0; i < index.size(); ++i) at += index[i] * t.strides()[static_cast<int>(i)];
    out.push_back(at);
  }
  return out;
}

// Do strides exist that give `shape` these positions? On each axis the stride can only be the step of its first two
// elements; then every position is compared.
bool strides_exist(const std::vector<int64_t>& at, const Shape& shape) {
  if (at.empty()) return true;
  Strides steps = contiguous_strides(shape), strides = steps;
  for (int i = 0; i < shape.rank(); ++i) strides[i] = shape[i] > 1 ? at[static_cast<size_t>(steps[i])] - at[0] : 0;
  size_t k = 0;
  for (const Index& index : indices(shape)) {
    int64_t want = at[0];
    for (size_t i = 0; i < index.size(); ++i) want += index[i] * strides[static_cast<int>(i)];
    if (at[k++] != want) return false;
  }
  return true;
}

// All ways to write n as a product of at most `axes` sizes, 1 included.
void factor(int64_t n, int axes, Shape& so_far, std::vector<Shape>& out) {
  if (n == 1) out.push_back(so_far);
  if (axes == 0) return;
  for (int64_t d = 1; d <= n; ++d) {
    if (n % d) continue;
    so_far.push_back(d);
    factor(n / d, axes - 1, so_far, out);
    so_far.erase(so_far.rank() - 1);
  }
}

// Random views on views: transposed, sliced with steps, expanded, with axes of size 1.
Tensor random_view(Generator& rng) {
  Shape shape;
  for (int64_t rank = rng.below(4) + 1; rank > 0; --rank) shape.push_back(rng.below(4) + 1);
  Tensor t = counting(shape);
  for (int64_t steps = rng.below(4); steps > 0; --steps) {
    int64_t axis = rng.below(t.rank()), other = rng.below(t.rank()), n = t.size(axis);
    switch (rng.below(4)) {
      case 0:
        t = t.transpose(axis, other);
        break;
      case 1:
        if (n > 1) t = t.slice(axis, rng.below(n - 1), n, rng.below(2) + 1);
        break;
      case 2:
        t = t.unsqueeze(axis);
        break;
      default:
        if (n == 1) {
          Shape wider = t.shape();
          wider[static_cast<int>(axis)] = 2;
          t = t.expand(wider);
        }
    }
  }
  return t;
}

}  // namespace

TEST_CASE("transpose and permute move axes, not elements") {
  Tensor x = counting({2, 3, 4});
  Tensor t = x.transpose(0, -1), p = x.permute({2, -3, 1});
  CHECK((shares(x, t) && shares(x, p)));
  CHECK(t.shape() == Shape{4, 3, 2});
  CHECK(p.shape() == Shape{4, 2, 3});
  for (const Index& i : indices({2, 3, 4})) {
    double want = test::value(x, i);
    REQUIRE(want == static_cast<double>(i[0] * 12 + i[1] * 4 + i[2]));
    REQUIRE(t.at({i[2], i[1], i[0]}) == want);
    REQUIRE(p.at({i[2], i[0], i[1]}) == want);
  }
}

TEST_CASE("slice: every begin, end and step") {
  Tensor x = counting({3, 7});
  for (int64_t b = 0; b <= 7; ++b)
    for (int64_t e = b; e <= 7; ++e)
      for (int64_t step = 1; step <= 8; ++step) {
        Tensor s = x.slice(1, b, e, step);
        std::vector<double> want, negative;
        for (int64_t r = 0; r < 3; ++r)
          for (int64_t i = b; i < e; i += step) want.push_back(static_cast<double>(7 * r + i));
        REQUIRE(s.to_vector() == want);
        REQUIRE(shares(s, x));
        if (b > 0 && b < 7 && e < 7) REQUIRE(x.slice(-1, b - 7, e - 7, step).to_vector() == want);
      }
  CHECK(x.slice(0, 0, 3, INT64_MAX).to_vector() == x.slice(0, 0, 1).to_vector());
  CHECK_THROWS_AS(x.slice(1, 3, 2), IndexError);
  CHECK_THROWS_AS(x.slice(1, -8, 2), IndexError);
}

TEST_CASE("select, squeeze and unsqueeze drop and add axes") {
  Tensor x = counting({2, 3, 1});
  CHECK(x.select(1, 2).to_vector() == std::vector<double>{2, 5});
  CHECK(x.select(1, -3).to_vector() == std::vector<double>{0, 3});
  CHECK(x.squeeze(-1).shape() == Shape{2, 3});
  for (int64_t axis = -4; axis < 4; ++axis) {
    Tensor u = x.unsqueeze(axis);
    Shape want = x.shape();
    want.insert(static_cast<int>(axis < 0 ? axis + 4 : axis), 1);
    CHECK(u.shape() == want);
    CHECK(u.is_contiguous());
    CHECK(u.to_vector() == x.to_vector());
  }
  CHECK(Tensor::scalar(3).unsqueeze(0).shape() == Shape{1});
}

TEST_CASE("expand repeats without copying") {
  Tensor x = counting({3, 1});
  Tensor e = x.expand({2, 3, 4});
  CHECK(shares(e, x));
  CHECK(e.strides() == Strides{0, 1, 0});
  for (const Index& i : indices({2, 3, 4})) CHECK(test::value(e, i) == static_cast<double>(i[1]));
  CHECK(x.expand({3, 0}).count() == 0);
  CHECK(Tensor::scalar(2).expand({2, 2}).to_vector() == std::vector<double>{2, 2, 2, 2});
  CHECK_THROWS_AS(x.expand({3}), ShapeError);
}

TEST_CASE("view refuses exactly what needs a copy, over random views and every new shape") {
  Generator rng(11);
  int64_t views = 0, copies = 0, wrong = 0;
  for (int trial = 0; trial < 600; ++trial) {
    Tensor t = random_view(rng);
    std::vector<int64_t> at = positions(t);
    std::vector<Shape> shapes;
    Shape empty;
    factor(t.count(), 4, empty, shapes);
    for (const Shape& shape : shapes) {
      int64_t before = copies_made();
      Tensor r = t.reshape(shape);
      bool copied = copies_made() > before;
      bool possible = strides_exist(at, shape);
      wrong += copied == possible || shares(r, t) != possible || r.to_vector() != t.to_vector();
      bool refused = sentence<ShapeError>([&] { t.view(shape); }) != "no error";
      wrong += refused == possible;
      (possible ? views : copies) += 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(views > 2000);
  CHECK(copies > 500);
}

TEST_CASE("reshape: one size may be left open") {
  Tensor x = counting({2, 3, 4});
  CHECK(x.reshape({-1}).shape() == Shape{24});
  CHECK(x.reshape({4, -1}).shape() == Shape{4, 6});
  CHECK(x.view({-1, 1, 12}).shape() == Shape{2, 1, 12});
  CHECK(Tensor::empty({0, 3}).reshape({3, -1}).shape() == Shape{3, 0});
  CHECK(Tensor::scalar(1).reshape({1, 1}).shape() == Shape{1, 1});
  CHECK(Tensor::ones({1, 1}).reshape({}).shape() == Shape{});
  CHECK(sentence<ShapeError>([&] {
          x.reshape({5, -1});
        }) == "reshape: the number of elements must stay; got [2, 3, 4] (24 elements) to [5, -1]");
  for (const Shape& bad : {Shape{25}, Shape{-1, -1}, Shape{-2, -12}, Shape{-1, 0}, Shape{-1, -1, 24},
                           Shape{int64_t{1} << 40, int64_t{1} << 40}, Shape{int64_t{1} << 32, int64_t{1} << 32, 24}})
    CHECK_THROWS_AS(x.reshape(bad), ShapeError);
}

TEST_CASE("contiguous and clone") {
  Tensor x = counting({2, 3}), t = x.transpose(0, 1);
  int64_t before = copies_made();
  CHECK(shares(x.contiguous(), x));
  CHECK(copies_made() == before);
  Tensor c = t.contiguous();
  CHECK(copies_made() == before + 1);
  CHECK((c.is_contiguous() && !shares(c, t)));
  CHECK(c.to_vector() == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK_FALSE(shares(x.clone(), x));
  CHECK(shares(x.to(DType::i64), x));
  CHECK(x.slice(0, 0, 1).is_contiguous());
  CHECK_FALSE(x.slice(1, 0, 2).is_contiguous());
  CHECK(x.slice(1, 1, 1).is_contiguous());  // nothing in it
}

TEST_CASE("as_strided stays inside its storage") {
  Tensor x = counting({10});
  CHECK(x.as_strided({3, 3}, {2, 1}, 1).to_vector() == std::vector<double>{1, 2, 3, 3, 4, 5, 5, 6, 7});
  CHECK(x.as_strided({0, 3}, {3, 1}, 0).count() == 0);
}
