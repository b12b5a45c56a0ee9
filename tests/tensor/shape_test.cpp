// Shapes, strides and NumPy's broadcasting rule: every pair of shapes to rank 4 with sizes 0 to 3.
#include "tensor/shape.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;
using test::sentence;

namespace {

std::vector<Shape> all_shapes(int max_rank, int64_t sizes) {
  std::vector<Shape> out = {{}};
  for (size_t from = 0; from < out.size(); ++from) {
    Shape shape = out[from];
    if (shape.rank() == max_rank) continue;
    for (int64_t size = 0; size < sizes; ++size) {
      Shape longer = shape;
      longer.push_back(size);
      out.push_back(longer);
    }
  }
  return out;
}

// The rule as it is told: write both under each other, aligned at the right, 1 where one is shorter.
struct Broadcast {
  bool fits = true;
  Shape shape;
  std::string why;
};
Broadcast broadcast(const Shape& a, const Shape& b) {
  Broadcast out;
  int rank = std::max(a.rank(), b.rank());
  for (int i = 0; i < rank; ++i) {
    int in_a = i - (rank - a.rank()), in_b = i - (rank - b.rank());
    int64_t x = in_a < 0 ? 1 : a[in_a], y = in_b < 0 ? 1 : b[in_b];
    if (x != y && x != 1 && y != 1 && out.fits) {
      out.fits = false;
      out.why = fmt::format("(axis {}: {} vs {})", i - rank, x, y);
    }
    out.shape.push_back(x == 1 ? y : x);
  }
  return out;
}

}  // namespace

TEST_CASE("a list of sizes grows, shrinks and compares") {
  Dims d{2, 3, 5};
  d.push_back(7);
  d.insert(0, 1);
  d.insert(5, 9);
  d.erase(2);
  CHECK(d == Dims{1, 2, 5, 7, 9});
  CHECK_FALSE(d == Dims{1, 2, 5, 7});
  CHECK(d == Dims(std::vector<int64_t>{1, 2, 5, 7, 9}));
  CHECK(to_string(d) == "[1, 2, 5, 7, 9]");
  CHECK(to_string(Dims{}) == "[]");
  CHECK(element_count({}) == 1);
  CHECK(element_count({2, 0, 3}) == 0);
  CHECK(contiguous_strides({2, 3, 4}) == Strides{12, 4, 1});
}

TEST_CASE("axes count from both ends") {
  for (int64_t axis = 0; axis < 3; ++axis) {
    CHECK(normal_axis("sum", axis, 3) == axis);
    CHECK(normal_axis("sum", axis - 3, 3) == axis);
  }
  CHECK(sentence<IndexError>([] { normal_axis("sum", 3, 3); }) == "sum: axis must lie in [-3, 3); got axis 3");
  CHECK(sentence<IndexError>([] { normal_axis("sum", -4, 3); }) == "sum: axis must lie in [-3, 3); got axis -4");
  CHECK(sentence<IndexError>([] { normal_axis("sum", 0, 0); }) == "sum: axis must lie in [0, 0); got axis 0");
}

TEST_CASE("all pairs to rank 4 broadcast as the rule says, and the rest are refused by name") {
  std::vector<Shape> shapes = all_shapes(4, 4);
  REQUIRE(shapes.size() == 341);
  std::vector<Tensor> tensors;
  Generator rng(1);
  for (const Shape& s : shapes) tensors.push_back(Tensor::normal(s, rng));
  int64_t fitting = 0, wrong = 0;
  for (const Tensor& a : tensors)
    for (const Tensor& b : tensors) {
      Broadcast want = broadcast(a.shape(), b.shape());
      if (!want.fits) {
        std::string text = sentence<ShapeError>([&] { sub(a, b); });
        wrong += text != fmt::format("sub: sizes must be equal or 1, aligned at the right; got a {} and b {} {}",
                                     to_string(a.shape()), to_string(b.shape()), want.why);
        continue;
      }
      ++fitting;
      Tensor y = sub(a, b);
      if (!(y.shape() == want.shape) || !y.is_contiguous()) {
        ++wrong;
        continue;
      }
      int64_t at = 0;
      for (const Index& i : indices(want.shape)) {
        float p = test::element<float>(a, test::broadcast_index(i, a.shape()));
        float q = test::element<float>(b, test::broadcast_index(i, b.shape()));
        wrong += y.data<float>()[at++] != p - q;
      }
    }
  CHECK(fitting > 10000);
  CHECK(wrong == 0);
}
