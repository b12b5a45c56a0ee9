// A matrix kept in 16 bits: products have the bits of the widened matrix, the kernels widen as the portable formula
// does, and nothing is kept that would lose a digit.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/half_matrix.h"
#include "tensor/indexing.h"
#include "tensor/kernels/gemm_bf16.h"
#include "tensor/matmul.h"
#include "tensor/thread_pool.h"

using namespace heed;

namespace {

constexpr HalfFormat kFormats[] = {HalfFormat::bf16, HalfFormat::f16};

// Numbers of this format and no other, [N, K].
Tensor numbers_of(HalfFormat format, int64_t N, int64_t K) {
  Generator rng(7);
  Tensor w = Tensor::normal({N, K}, rng);
  for (int64_t i = 0; i < w.count(); ++i) {
    float& x = w.data<float>()[i];
    x = format == HalfFormat::bf16 ? from_bf16(to_bf16(x)) : std::round(x * 1024) / 1024;
    if (format == HalfFormat::f16 && std::abs(x) >= 1) x = std::round(x * 128) / 128;
  }
  w.data<float>()[0] = format == HalfFormat::bf16 ? 0x1p100f : 3 * 0x1p-24f;  // outside of f16; its smallest numbers
  w.data<float>()[1] = format == HalfFormat::bf16 ? 1.0f : 1 + 0x1p-10f;      // outside of bf16
  return w;
}

}  // namespace

TEST_CASE("half matrix: every finite f16 is widened by the instruction as by the formula") {
  int64_t seen = 0;
  for (uint32_t first = 0; first < 65536; first += 16) {
    uint16_t from[16];
    float to[16];
    for (uint32_t i = 0; i < 16; ++i) from[i] = static_cast<uint16_t>(first + i);
    if ((first >> 10 & 31u) == 31) continue;  // infinities and NaN are never kept
    widen_16(HalfFormat::f16, from, to);
    for (size_t i = 0; i < 16; ++i, ++seen) {
      CHECK(std::bit_cast<uint32_t>(to[i]) == std::bit_cast<uint32_t>(widened_f16(from[i])));
      const int exponent = from[i] >> 10 & 31, mantissa = from[i] & 1023;
      const double size = std::ldexp(exponent ? 1024 + mantissa : mantissa, std::max(exponent, 1) - 25);
      CHECK(std::abs(to[i]) == static_cast<float>(size));
      CHECK(std::signbit(to[i]) == (from[i] >= 0x8000));
    }
    widen_16(HalfFormat::bf16, from, to);
    for (size_t i = 0; i < 16; ++i) CHECK(std::bit_cast<uint32_t>(to[i]) == static_cast<uint32_t>(from[i]) << 16);
  }
  CHECK(seen == 2 * 31 * 1024);
}

TEST_CASE("half matrix: products have the bits of the widened matrix, for all rows, threads and layouts") {
  const int threads = thread_count();
  Generator rng(1);
  for (HalfFormat format : kFormats)
    for (auto [N, K] : {std::pair{2, 2}, {64, 7}, {130, 33}, {1100, 96}, {70, 5000}}) {
      const Tensor w = numbers_of(format, N, K);
      for (const Tensor& given : {w, w.transpose(0, 1).contiguous().transpose(0, 1)}) {
        auto half = HalfMatrix::of(given);
        REQUIRE(half);
        CHECK(half->format() == format);
        CHECK(bit_equal(half->widened(), w));
        CHECK(HalfMatrix::behind(half->stand_in()) == half.get());
        for (int64_t M : {1, 2, 5, 7, 32, 33, 70}) {
          const Tensor x = Tensor::normal({M, K}, rng), wanted = matmul(x, w.transpose(0, 1));
          for (int n : {1, 2}) {
            set_thread_count(n);
            CHECK(bit_equal(half->product(x), wanted));
          }
        }
      }
      auto half = HalfMatrix::of(w);
      const Tensor tiny = Tensor::full({1, K}, -1e-45);  // products too small for f32: a sum may be -0
      CHECK(bit_equal(half->product(tiny), matmul(tiny, w.transpose(0, 1))));
      const Tensor index = Tensor::from(std::vector<int64_t>{N - 1, 0, N / 2, 0}, {2, 2});
      CHECK(bit_equal(half->rows(index), index_select(w, index)));
      CHECK_THROWS_WITH_AS(half->rows(Tensor::from(std::vector<int64_t>{int64_t{N}}, {1})),
                           doctest::Contains("a row must lie in"), IndexError);
    }
  set_thread_count(threads);
}

TEST_CASE("half matrix: what has no 16 bits is not kept, and a stand-in ends with its matrix") {
  for (float one : {1.0f / 3, 0x1p-25f + 0x1p-34f, 65520.5f, INFINITY, NAN}) {
    Tensor w = Tensor::ones({3, 5});
    CHECK(HalfMatrix::of(w));
    w.set({2, 4}, static_cast<double>(one));
    CHECK_FALSE(HalfMatrix::of(w));
  }
  const uint16_t one = 0x3c00, infinite = 0x7c00;  // of f16
  std::vector<uint16_t> numbers(15, one);
  const HalfNumbers held{HalfFormat::f16, numbers.data(), 3, 5, 1, 3};  // column by column
  numbers[2] = 0x4000;                                                  // [2, 0] is 2
  Tensor wanted = Tensor::ones({3, 5});
  wanted.set({2, 0}, 2);
  CHECK(bit_equal(HalfMatrix::of(held)->widened(), wanted));
  numbers[14] = infinite;
  CHECK_FALSE(HalfMatrix::of(held));
  CHECK_FALSE(HalfMatrix::of(Tensor::ones({4})));
  CHECK_FALSE(HalfMatrix::of(Tensor::ones({1, 4})));
  CHECK_FALSE(HalfMatrix::of(Tensor::ones({4, 4}, DType::f64)));
  auto half = HalfMatrix::of(Tensor::ones({3, 5}));
  const Tensor stand_in = half->stand_in();
  CHECK(std::isnan(stand_in.at({0, 0})));  // whoever reads it sees that it is nobody's number
  CHECK_FALSE(HalfMatrix::behind(Tensor::ones({1, 1}).expand({3, 5})));
  half.reset();
  CHECK_FALSE(HalfMatrix::behind(stand_in));
}

TEST_CASE("half matrix: the transpose of a square stand-in is not taken for the matrix") {
  auto half = HalfMatrix::of(numbers_of(HalfFormat::bf16, 4, 4));
  const Tensor w = half->stand_in();
  CHECK_FALSE(HalfMatrix::behind(w.transpose(0, 1)));
  CHECK_FALSE(HalfMatrix::behind(w.slice(0, 1, 2).expand({4, 4})));  // row 1, four times
  CHECK(HalfMatrix::behind(w.transpose(0, 1).transpose(0, 1)) == half.get());
  for (double y : w.transpose(0, 1).to_vector()) CHECK(std::isnan(y));
}
