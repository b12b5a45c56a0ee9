// Tensors as text: the pinned forms.
#include "tensor/print.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;

namespace {
Tensor floats(std::vector<float> v, const Shape& shape) { return Tensor::from(v, shape); }
}  // namespace

TEST_CASE("one format and one width for all numbers") {
  CHECK(to_string(floats({1, -2.5f, 0.125f, 0, 4, 10}, {2, 3})) ==
        "[[ 1.0000, -2.5000,  0.1250],\n"
        " [ 0.0000,  4.0000, 10.0000]]  f32 [2, 3]");
  CHECK(to_string(floats({1, 2, -30}, {3})) == "[  1.,   2., -30.]  f32 [3]");
  CHECK(to_string(Tensor::from(std::vector<double>{0.5}, {1})) == "[0.5000]  f64 [1]");
  CHECK(to_string(floats({1, 2, 3, 4}, {2, 2}).transpose(0, 1)) == "[[1., 3.],\n [2., 4.]]  f32 [2, 2]");
  CHECK(to_string(floats({0.5f, 0.25f}, {2}), {.precision = 2}) == "[0.50, 0.25]  f32 [2]");
}

TEST_CASE("integers and truth values") {
  CHECK(to_string(Tensor::from(std::vector<int64_t>{1, -20, INT64_MAX}, {3})) ==
        "[                  1,                 -20, 9223372036854775807]  i64 [3]");
  CHECK(to_string(Tensor::from_bools({1, 0}, {2})) == "[ true, false]  bool [2]");
}

TEST_CASE("scalars, nothing, undefined") {
  CHECK(to_string(Tensor::scalar(2.5)) == "2.5000  f32 []");
  CHECK(to_string(Tensor::scalar(3, DType::i64)) == "3  i64 []");
  CHECK(to_string(Tensor::empty({0})) == "[]  f32 [0]");
  CHECK(to_string(Tensor::empty({2, 0})) == "[[],\n []]  f32 [2, 0]");
  CHECK(to_string(Tensor()) == "undefined");
  CHECK(to_string(Tensor::empty({int64_t{1} << 40, 0})).size() < 100);  // many rows of nothing
}

TEST_CASE("rank 3 leaves a line between matrices") {
  CHECK(to_string(Tensor::arange(8).view({2, 2, 2})) ==
        "[[[0, 1],\n"
        "  [2, 3]],\n"
        "\n"
        " [[4, 5],\n"
        "  [6, 7]]]  i64 [2, 2, 2]");
}

TEST_CASE("what is not finite, and what needs exponents") {
  CHECK(to_string(floats({NAN, INFINITY, -INFINITY, 1.5f}, {4})) == "[   nan,    inf,   -inf, 1.5000]  f32 [4]");
  CHECK(to_string(floats({NAN, 1}, {2})) == "[nan,  1.]  f32 [2]");
  CHECK(to_string(floats({1e-6f, 2e-6f}, {2})) == "[1.0000e-06, 2.0000e-06]  f32 [2]");
  CHECK(to_string(floats({1e10f, 1}, {2})) == "[1.0000e+10, 1.0000e+00]  f32 [2]");
  CHECK(to_string(floats({0.5f, 1e-9f}, {2})) == "[5.0000e-01, 1.0000e-09]  f32 [2]");
  CHECK(to_string(floats({0, 0}, {2})) == "[0., 0.]  f32 [2]");
}

TEST_CASE("the middle of long axes is left out") {
  CHECK(to_string(Tensor::arange(1000)) == "[  0,   1,   2, ..., 997, 998, 999]  i64 [1000]");
  CHECK(to_string(Tensor::arange(400).view({20, 20}), {.edge = 1}) ==
        "[[  0, ...,  19],\n"
        " ...,\n"
        " [380, ..., 399]]  i64 [20, 20]");
  CHECK(to_string(Tensor::arange(8), {.edge = 2, .threshold = 7}) == "[0, 1, ..., 6, 7]  i64 [8]");
  CHECK(to_string(Tensor::arange(4), {.edge = 2, .threshold = 3}) == "[0, 1, 2, 3]  i64 [4]");  // nothing between
}
