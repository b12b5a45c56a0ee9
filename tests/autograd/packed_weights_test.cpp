// Weights that are packed once for many products: the same bits, and no stale copy.
#include <doctest/doctest.h>

#include <memory>

#include "autograd/gradcheck.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/thread_pool.h"

using namespace heed;

namespace {

Tensor normal(const Shape& shape, uint64_t seed, DType dtype = DType::f32) {
  Generator rng(seed);
  return Tensor::normal(shape, rng, 0, 1, dtype);
}

}  // namespace

TEST_CASE("packed weights give the bits of plain products, of any rows, layouts and threads") {
  NoGrad guard;
  const int before = thread_count();
  int64_t wrong = 0;
  for (int threads : {1, 2, 3})
    for (DType d : {DType::f32, DType::f64}) {
      set_thread_count(threads);
      PackedWeights packed;
      Tensor all = normal({90, 40}, 1, d);
      const Variable whole(all), part(all.slice(0, 30, 60)), columns(all.slice(1, 3, 30)), bias(normal({90}, 2, d));
      for (const Shape& rows :
           {Shape{1}, Shape{}, Shape{7}, Shape{64, 1}, Shape{2, 3, 5}, Shape{0}, Shape{257}, Shape{1025}}) {
        auto x_of = [&](int64_t width) {
          Shape shape = rows;
          shape.push_back(width);
          return Variable(normal(shape, 3, d));
        };
        auto results = [&] {
          return std::vector<Variable>{linear(x_of(40), whole, bias), linear(x_of(40), part, {}),
                                       linear(x_of(27), columns, bias), linear(x_of(40), whole, {})};
        };
        const std::vector<Variable> want = results();
        PackedWeights::Step step(packed);
        for (int again = 0; again < 2; ++again) {
          const std::vector<Variable> got = results();
          for (size_t i = 0; i < want.size(); ++i)
            wrong += !(got[i].shape() == want[i].shape()) || !bit_equal(got[i].value(), want[i].value());
        }
      }
    }
  set_thread_count(before);
  CHECK(wrong == 0);
}

TEST_CASE("packed weights: many rows meet them in blocks, with the same bits") {
  NoGrad guard;
  const int before = thread_count();
  const Variable bias(normal({700}, 2));
  for (auto [rows, width] : {std::pair{200, 900}, {257, 900}, {640, 1024}, {1024, 900}, {300, 2048}})  // rows of pages
    for (int threads : {1, 2}) {
      set_thread_count(threads);
      const Variable weight(normal({700, width}, 1)), x(normal({rows, width}, 3));
      const Tensor want = linear(x, weight, bias).value();
      PackedWeights packed;
      PackedWeights::Step step(packed);
      CHECK(bit_equal(linear(x, weight, bias).value(), want));
      CHECK(packed.count() == 1);
    }
  set_thread_count(before);
}

TEST_CASE("packed weights: written ones are packed again, unused ones are dropped, others are left alone") {
  NoGrad guard;
  PackedWeights packed;
  Tensor w = normal({20, 30}, 1);
  const Variable weight(w), other(normal({20, 30}, 2)), x(normal({4, 30}, 3));
  {
    PackedWeights::Step step(packed);
    const Tensor before = linear(x, weight, {}).value();
    scale_into(w, 2);
    CHECK(bit_equal(linear(x, weight, {}).value(), mul(before, Tensor::scalar(2))));
    CHECK(packed.count() == 1);
    linear(x, other, {});
    CHECK(packed.count() == 2);
  }
  CHECK(packed.count() == 2);
  {
    PackedWeights::Step step(packed);
    linear(x, weight, {});
  }
  CHECK(packed.count() == 1);
  {
    PackedWeights::Step step(packed);
    PackedWeights inner;
    {
      PackedWeights::Step nested(inner);
      linear(x, weight, {});
    }
    CHECK(inner.count() == 1);
    linear(Variable(normal({1025, 30}, 4)), other, {});  // too many rows
    PrecisionScope half(Precision::bf16);
    const Tensor in_bf16 = linear(x, other, {}).value();
    CHECK(bit_equal(in_bf16, matmul(x.value(), other.value().transpose(0, 1))));
    GradMode recorded(true);
    linear(x, other, {});
    CHECK(packed.count() == 1);
  }
  CHECK(packed.count() == 0);
  linear(x, weight, {});  // outside of a step
  CHECK(packed.count() == 0);
}

TEST_CASE("packed weights: steps that end in another order, and a gradient check within a step") {
  NoGrad guard;
  const Variable x(normal({4, 30}, 1)), weight(normal({20, 30}, 2));
  PackedWeights a, b;
  auto first = std::make_unique<PackedWeights::Step>(a);
  linear(x, weight, {});
  auto second = std::make_unique<PackedWeights::Step>(b);
  first.reset();
  second.reset();
  CHECK(a.count() == 1);
  CHECK(b.count() == 0);
  PackedWeights packed;
  PackedWeights::Step step(packed);
  const std::vector<Tensor> inputs{normal({3, 4}, 3, DType::f64), normal({5, 4}, 4, DType::f64)};
  CHECK(gradcheck([](const auto& v) { return linear(v[0], v[1], {}); }, inputs).passed);
  CHECK(!gradcheck([](const auto& v) { return sum(linear(v[0], v[1].detach(), {})); }, inputs).passed);
}

TEST_CASE("packed weights: shapes that do not fit are refused as before") {
  NoGrad guard;
  PackedWeights packed;
  PackedWeights::Step step(packed);
  CHECK_THROWS_AS(linear(Variable(normal({4, 31}, 1)), Variable(normal({20, 30}, 2)), {}), ShapeError);
  CHECK_THROWS_AS(linear(Variable(normal({4, 30}, 1, DType::f64)), Variable(normal({20, 30}, 2)), {}), DTypeError);
  CHECK(packed.count() == 0);
}
