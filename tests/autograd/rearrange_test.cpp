// Shape and order on Variables: what the case table cannot see: positions, sizes of pieces, the text of errors.
#include <doctest/doctest.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::sentence;

TEST_CASE("sort and topk: values, positions, and the gradient where they stood") {
  Variable x(Tensor::from(std::vector<double>{3, 1, 2, 1}, {4}), Variable::kRequiresGrad);
  Sorted up = sort(x), down = sort(x, 0, {.descending = true}), two = topk(x, 2),
         least = topk(x, 2, 0, {.largest = false});
  CHECK(up.values.value().to_vector() == std::vector<double>{1, 1, 2, 3});
  CHECK(up.indices.to_vector() == std::vector<double>{1, 3, 2, 0});
  CHECK(down.indices.to_vector() == std::vector<double>{0, 2, 1, 3});
  CHECK(two.values.value().to_vector() == std::vector<double>{3, 2});
  CHECK(least.indices.to_vector() == std::vector<double>{1, 3});
  backward(sum(up.values * Variable(Tensor::from(std::vector<double>{10, 20, 30, 40}, {4}))));
  CHECK(x.grad().to_vector() == std::vector<double>{40, 10, 30, 20});
}

TEST_CASE("chunk: the sizes of the pieces") {
  auto sizes = [](int64_t n, int64_t count) {
    std::vector<int64_t> out;
    for (const Variable& piece : chunk(Tensor::ones({n}), count, 0)) out.push_back(piece.size(0));
    return out;
  };
  CHECK(sizes(6, 3) == std::vector<int64_t>{2, 2, 2});
  CHECK(sizes(7, 3) == std::vector<int64_t>{3, 3, 1});
  CHECK(sizes(4, 3) == std::vector<int64_t>{2, 2});
  CHECK(sizes(2, 5) == std::vector<int64_t>{1, 1});
  CHECK(sizes(0, 2) == std::vector<int64_t>{0, 0});
  CHECK(sentence<ValueError>([] { chunk(Tensor::ones({3}), 0, 0); }) == "chunk: needs at least one piece; got 0");
}

TEST_CASE("fold adds the windows where they overlap") {
  Variable x(Tensor::from(std::vector<double>{1, 2, 3, 4}, {4}), Variable::kRequiresGrad);
  Variable windows = unfold(x, 0, 3, 1);
  CHECK(windows.value().to_vector() == std::vector<double>{1, 2, 3, 2, 3, 4});
  CHECK(fold(windows, 0, 4, 1).value().to_vector() == std::vector<double>{1, 4, 6, 4});
  backward(sum(windows));
  CHECK(x.grad().to_vector() == std::vector<double>{1, 2, 2, 1});
}

TEST_CASE("integers and masks go wherever nothing is added: cut, joined, padded, in order") {
  for (DType d : {DType::i64, DType::boolean}) {
    Variable x(Tensor::from(std::vector<int64_t>{1, 0, 1, 1, 0, 0}, {2, 3}).to(d));
    CHECK(chunk(x, 2, 0)[1].value().to_vector() == std::vector<double>{1, 0, 0});
    CHECK(split(x, {1, 2}, 1)[0].value().to_vector() == std::vector<double>{1, 1});
    CHECK(pad(x, {{.axis = 1, .after = 1}}, 1).value().at({0, 3}) == 1);
    CHECK(tril(x).value().to_vector() == std::vector<double>{1, 0, 0, 1, 0, 0});
    CHECK(triu(x).value().to_vector() == std::vector<double>{1, 0, 1, 0, 0, 0});
    CHECK(sort(x).values.value().to_vector() == std::vector<double>{0, 1, 1, 0, 0, 1});
    CHECK(sort(x).indices.to_vector() == std::vector<double>{1, 0, 2, 1, 2, 0});
    CHECK(topk(x, 1).indices.to_vector() == std::vector<double>{0, 0});
    for (const Variable& y : {chunk(x, 2, 0)[0], pad(x, {}), tril(x), sort(x).values, concat({x, x}, 0), flip(x, {0}),
                              unfold(x, 1, 2, 1), gather(x, 1, Tensor::zeros({2, 1}, DType::i64))})
      CHECK(y.dtype() == d);
    if (d == DType::boolean) continue;  // PyTorch has no argmax of masks either
    CHECK(argmax(x.value(), 1).to_vector() == std::vector<double>{0, 0});
    CHECK(argmin(x.value(), 1).to_vector() == std::vector<double>{1, 1});
    CHECK(max(x.value(), 0).to_vector() == std::vector<double>{1, 0, 1});
  }
}
