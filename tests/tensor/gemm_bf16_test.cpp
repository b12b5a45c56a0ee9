// Products in bf16: the rounding, the kernel against its definition and against the processor's instruction, bit by
// bit, and which products the scope reaches.
#include "tensor/kernels/gemm_bf16.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <utility>

#include "tensor/functions.h"
#include "tensor/matmul.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::Threads;

namespace {

// The rounding to f32 of the header, in long double: exact for every sum here that is near the end of the range.
float fl(long double x) {
  if (std::abs(x) < 0x1p-126L - 0x1p-151L) return std::copysign(0.0f, static_cast<float>(x));
  return static_cast<float>(x);
}

// The header's definition, element by element.
Tensor defined(const Tensor& a, const Tensor& b, const Tensor& start) {
  Tensor c = start.clone();
  for (int64_t i = 0; i < a.size(0); ++i)
    for (int64_t j = 0; j < b.size(1); ++j) {
      auto term = [&](float s, int64_t k) {
        long double x = 0, y = 0;  // after the last k of an odd K
        if (k < a.size(1)) {
          x = from_bf16(to_bf16(test::element<float>(a, {i, k})));
          y = from_bf16(to_bf16(test::element<float>(b, {k, j})));
        }
        return fl(s + x * y);
      };
      float s = 0;
      for (int64_t k = 0; k < a.size(1); k += 2) {
        s = term(term(s, k + 1), k);
        if (k + 2 < a.size(1) && (k + 2) % kBf16Chain != 0) continue;
        c.data<float>()[i * c.size(1) + j] += std::exchange(s, 0.0f);
      }
    }
  return c;
}

MatrixView<const float> view(const Tensor& t) { return {t.data<float>(), t.strides()[0], t.strides()[1]}; }

Tensor product(const Tensor& a, const Tensor& b, const Tensor& start, bool emulate) {
  Tensor c = start.clone();
  gemm_bf16(a.size(0), b.size(1), a.size(1), view(a), view(b), {c.data<float>(), c.size(1), 1}, true, emulate);
  return c;
}

// The same bits; any NaN equals any other.
int64_t differences(const Tensor& a, const Tensor& b) {
  int64_t n = 0;
  for (int64_t i = 0; i < a.count(); ++i) {
    float x = a.data<float>()[i], y = b.data<float>()[i];
    n += !(std::isnan(x) && std::isnan(y)) && std::bit_cast<uint32_t>(x) != std::bit_cast<uint32_t>(y);
  }
  return n;
}

// Numbers with random bits and exponents in [low, high]: 0 for denormals and zeros, 255 for infinities and NaN.
Tensor with_exponents(const Shape& shape, int64_t low, int64_t high, Generator& rng) {
  Tensor t = Tensor::empty(shape);
  for (int64_t i = 0; i < t.count(); ++i) {
    auto bits = static_cast<uint32_t>(rng.below(int64_t{1} << 32)) & 0x807fffffu;
    if (rng.below(4) == 0) bits &= 0x80000000u;  // powers of two: exact ties
    t.data<float>()[i] = std::bit_cast<float>(bits | static_cast<uint32_t>(low + rng.below(high - low + 1)) << 23);
  }
  return t;
}

}  // namespace

TEST_CASE("bf16: rounding to the nearest, ties to even, around every bf16") {
  int64_t wrong = 0;
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const uint32_t size = h & 0x7fff, sign = h & 0x8000;
    for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const uint16_t got = to_bf16(std::bit_cast<float>(h << 16 | low));
      uint32_t want = h + (low > 0x8000 || (low == 0x8000 && h % 2 == 1));
      if (size < 0x80) want = sign;  // below the normal range
      if (size > 0x7f80 || (size == 0x7f80 && low > 0))
        wrong += !std::isnan(from_bf16(got)) || (got & 0x8000u) != sign;
      else
        wrong += got != want;
    }
  }
  CHECK(wrong == 0);
  CHECK(to_bf16(std::numeric_limits<float>::max()) == 0x7f80);  // to infinity, as the nearest bf16
}

TEST_CASE("bf16: the emulation is the definition") {
  Generator rng(3);
  for (auto [m, k, n] : {std::array{1, 1, 1}, {3, 2, 5}, {17, 33, 40}, {9, 512, 18}, {5, 513, 49}, {2, 1500, 3}}) {
    Tensor a = Tensor::normal({m, k}, rng), b = Tensor::normal({k, n}, rng), c = Tensor::normal({m, n}, rng);
    CHECK(differences(product(a, b, c, true), defined(a, b, c)) == 0);
  }
  for (auto [low, high] : {std::array{0, 255}, {60, 68}, {40, 90}, {1, 254}}) {
    Tensor a = with_exponents({40, 8}, low, high, rng), b = with_exponents({8, 40}, low, high, rng);
    CHECK(differences(product(a, b, Tensor::zeros({40, 40}), true), defined(a, b, Tensor::zeros({40, 40}))) == 0);
  }
  // s = 2^-126 from the odd k, minus 1, 2, 3, .. times 2^-153: down to half a place the nearest is s, then it is 0.
  Tensor a = Tensor::zeros({8, 2}), b = Tensor::from(std::vector<float>{-0x1p-53f, 1}, {2, 1});
  for (int64_t i = 0; i < 8; ++i)
    a.data<float>()[2 * i] = static_cast<float>(i + 1) * 0x1p-100f, a.data<float>()[2 * i + 1] = 0x1p-126f;
  for (bool emulate : {true, !has_bf16_products()}) {
    Tensor c = product(a, b, Tensor::zeros({8, 1}), emulate);
    for (int64_t i = 0; i < 8; ++i) CHECK(c.data<float>()[i] == (i < 4 ? 0x1p-126f : 0));
  }
}

TEST_CASE("bf16: the instruction gives the bits of the emulation") {
  if (!has_bf16_products()) {  // it would be compared with itself
    MESSAGE("skipped: this processor has no AVX512-BF16");
    return;
  }
  Generator rng(4);
  int64_t wrong = 0;
  for (int64_t m = 1; m <= 40; ++m)
    for (int64_t n = 1; n <= 40; ++n) {
      const int64_t ks[] = {1, 2, 1 + (m * 7 + n) % 40, 500 + (m + n) % 40};
      for (int64_t k : ks) {
        if (k > 40 && (m + 3 * n) % 13 != 0) continue;
        Tensor a = Tensor::normal({m, k}, rng), b = Tensor::normal({k, n}, rng), c = Tensor::normal({m, n}, rng);
        for (const Tensor& x : {a, a.transpose(0, 1).contiguous().transpose(0, 1)})
          for (const Tensor& y : {b, b.transpose(0, 1).contiguous().transpose(0, 1)})
            wrong += differences(product(x, y, c, true), product(x, y, c, false)) > 0;
      }
    }
  for (int64_t low : {0, 1, 40, 60, 126, 200})
    for (int64_t more : {0, 3, 8, 50}) {
      const int64_t high = std::min<int64_t>(low + more, 255);
      Tensor a = with_exponents({50, 30}, low, high, rng),
             b = with_exponents({30, 50}, 127 - std::min<int64_t>(low / 2, 60), 140, rng);
      Tensor c = Tensor::zeros({50, 50});
      wrong += differences(product(a, b, c, true), product(a, b, c, false)) > 0;
      Tensor other = with_exponents({30, 50}, low, high, rng);
      wrong += differences(product(a, other, c, true), product(a, other, c, false)) > 0;
    }
  for (auto [m, k, n] : {std::array{33, 70, 1000}, {1000, 40, 33}, {1, 600, 700}, {700, 600, 1}, {100, 1, 100}}) {
    Tensor a = Tensor::normal({m, k}, rng), b = Tensor::normal({k, n}, rng), c = Tensor::zeros({m, n});
    for (const Tensor& x : test::layouts_of(a))
      for (const Tensor& y : test::layouts_of(b))
        wrong += differences(product(x, y, c, true), product(x, y, c, false)) > 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("bf16: threads change no bit, and the error is that of two roundings") {
  Generator rng(5);
  for (auto [m, k, n] : {std::array{200, 100, 300}, {20, 1000, 600}, {600, 1000, 17}, {130, 513, 140}}) {
    Tensor a = Tensor::normal({m, k}, rng), b = Tensor::normal({k, n}, rng), one;
    PrecisionScope scope(Precision::bf16);
    for (int threads : {1, 2, 3}) {
      Threads guard(threads);
      Tensor c = matmul(a, b);
      if (threads == 1) one = c;
      CHECK(bit_equal(c, one));
    }
    Tensor exact = matmul(a.to(DType::f64), b.to(DType::f64));
    Tensor size = matmul(abs(a).to(DType::f64), abs(b).to(DType::f64));
    double worst = 0;
    for (int64_t i = 0; i < exact.count(); ++i)
      worst = std::max(worst, std::abs(one.data<float>()[i] - exact.data<double>()[i]) / size.data<double>()[i]);
    CHECK(worst <= 0x1p-7 + 0x1p-16 + 600 * 0x1p-24);  // (1 + 2^-8)^2 - 1, and a chain of 512 additions in f32
    CHECK(worst >= 0x1p-16);                           // f32 would do better: it was bf16
  }
}

TEST_CASE("bf16: which products the scope reaches") {
  Generator rng(6);
  Tensor a = Tensor::normal({5, 6, 7}, rng), b = Tensor::normal({5, 7, 4}, rng);
  Tensor before = matmul(a, b), x = a.select(0, 0), y = b.select(0, 0), zero = Tensor::zeros({6, 4});
  Tensor wide = matmul(a.to(DType::f64), b.to(DType::f64)), packed = matmul(x, PackedMatrix(y));
  {
    PrecisionScope scope(Precision::bf16);
    CHECK(precision() == Precision::bf16);
    for (int threads : {1, 3}) {  // the products of a batch run on threads that have no scope
      Threads guard(threads);
      Tensor c = matmul(a, b);
      for (int64_t i = 0; i < 5; ++i)
        CHECK(bit_equal(c.select(0, i), product(a.select(0, i), b.select(0, i), zero, true)));
    }
    Tensor into = before.select(0, 0).clone();
    matmul_into(into, x, y);
    CHECK(bit_equal(into, product(x, y, before.select(0, 0), true)));
    CHECK(bit_equal(matmul(a.to(DType::f64), b.to(DType::f64)), wide));
    CHECK(bit_equal(matmul(x, PackedMatrix(y)), packed));
    PrecisionScope inner(Precision::f32);
    CHECK(bit_equal(matmul(a, b), before));
  }
  CHECK(precision() == Precision::f32);
  CHECK(bit_equal(matmul(a, b), before));
  for (int64_t k : {0, 3}) {  // nothing to add up; nothing to write
    PrecisionScope scope(Precision::bf16);
    CHECK(bit_equal(matmul(Tensor::ones({2, k}), Tensor::ones({k, 3})), Tensor::full({2, 3}, static_cast<double>(k))));
    CHECK(matmul(Tensor::ones({0, k}), Tensor::ones({k, 3})).shape() == Shape{0, 3});
  }
}
