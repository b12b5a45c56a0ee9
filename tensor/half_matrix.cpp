#include "tensor/half_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/gemm_kernel.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace heed {
namespace {

constexpr int64_t kColumns = 64;               // of a strip
constexpr int64_t kFewRows = 32;               // with more rows of x, a block of W is widened once for all
constexpr int64_t kBlock = 8 * kColumns;       // columns of such a block
constexpr int64_t kWorkOfAThread = 32 * 1024;  // numbers of W; fewer are read before another thread has woken up

// --- 16 bits to f32

template <int R>
using Wide = typename Lanes<float, R, kWidth<float, R>>::Register;

// kWidth numbers at p, as one register. f16: the exponent has 5 bits and the bias 15 instead of 127, so moving the bits
// to their place divides by 2^112, also below the normal range.
template <HalfFormat FORMAT, int R>
[[gnu::always_inline]] inline Wide<R> widen(const uint16_t* p) {
  constexpr int W = static_cast<int>(kWidth<float, R>);
  using Narrow = typename LanesHolder<uint16_t, R / 2, W>::Register;
  using Bits = typename LanesHolder<uint32_t, R, W>::Register;
  const Narrow narrow = reinterpret_cast<const Anywhere<Narrow>*>(p)->v;
#if defined(__F16C__)
  if constexpr (FORMAT == HalfFormat::f16 && R == 32) return _mm256_cvtph_ps(reinterpret_cast<__m128i>(narrow));
#if defined(__AVX512F__)
  if constexpr (FORMAT == HalfFormat::f16 && R == 64)
    return _mm512_maskz_cvtph_ps(0xffff, reinterpret_cast<__m256i>(narrow));
#endif
#endif
  const Bits bits = __builtin_convertvector(narrow, Bits);
  if constexpr (FORMAT == HalfFormat::bf16) {
    return reinterpret_cast<Wide<R>>(bits << 16);
  } else {
    const Wide<R> size = reinterpret_cast<Wide<R>>((bits & 0x7fff) << 13) * 0x1p112f;
    return reinterpret_cast<Wide<R>>(reinterpret_cast<Bits>(size) | (bits & 0x8000) << 16);
  }
}

float widened_one(HalfFormat format, uint16_t x) {
  return format == HalfFormat::f16 ? widened_f16(x) : std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
}

// --- f32 to 16 bits, only where nothing is lost

bool to_bf16_exactly(float x, uint16_t& to) {
  const auto bits = std::bit_cast<uint32_t>(x);
  to = static_cast<uint16_t>(bits >> 16);
  return (bits & 0xffffu) == 0 && (bits & 0x7f800000u) != 0x7f800000u;
}

bool to_f16_exactly(float x, uint16_t& to) {
  const float size = std::abs(x), unit = 0x1p-24f;  // the smallest number above 0
  const uint32_t sign = std::bit_cast<uint32_t>(x) >> 31 << 15, bits = std::bit_cast<uint32_t>(size);
  if (!(size <= 65504.0f)) return false;
  if (size < 0x1p-14f) {
    const float units = size / unit;
    to = static_cast<uint16_t>(sign | static_cast<uint32_t>(units));
    return units == std::floor(units);
  }
  to = static_cast<uint16_t>(sign | ((bits >> 13) - (112u << 10)));
  return (bits & 0x1fffu) == 0;
}

bool narrow(HalfFormat format, float x, uint16_t& to) {
  return format == HalfFormat::f16 ? to_f16_exactly(x, to) : to_bf16_exactly(x, to);
}

bool all_fit(HalfFormat format, const Tensor& w) {
  const float* p = w.data<float>();
  const int64_t K = w.size(1), row = w.strides()[0], column = w.strides()[1];
  for (int64_t n = 0; n < w.size(0); ++n)
    for (int64_t k = 0; k < K; ++k)
      if (uint16_t bits = 0; !narrow(format, p[n * row + k * column], bits)) return false;
  return true;
}

// to, in strips = bits(n, k)
template <class F>
void pack(int64_t N, int64_t K, float* strips, const F& bits) {
  auto* to = reinterpret_cast<uint16_t*>(strips);
  parallel_for(0, divide_up(N, kColumns), 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin * kColumns; n < std::min(N, end * kColumns); ++n)
      for (int64_t k = 0; k < K; ++k) to[n / kColumns * kColumns * K + k * kColumns + n % kColumns] = bits(n, k);
  });
}

// --- the product

struct Few {
  const uint16_t* strips;
  int64_t N, K;
  const float* x;  // [M, K]
  int64_t M;
  float* y;  // [M, N]
};

template <int R>
constexpr int kRows = R == 64 ? 6 : 2;  // of x at a time; with 4 registers of sums each

// y [ROWS, 4 registers of columns from n on] = x W^T. `p` is W at k = 0 and column n. Each sum is one chain of
// multiply-adds in the order of k, as in gemm; chains of kChain are added up as there.
template <HalfFormat FORMAT, int R, int ROWS>
[[gnu::always_inline]] inline void few_rows(const Few& f, int64_t m, int64_t n, const uint16_t* p) {
  constexpr int kRegisters = 4, W = static_cast<int>(kWidth<float, R>);
  float total[ROWS][kRegisters * W] = {}, lost[ROWS][kRegisters * W] = {};
  for (int64_t from = 0; from < f.K; from += kChain) {
    Wide<R> sum[ROWS][kRegisters] = {};
    const float* x = f.x + m * f.K;
    for (int64_t k = from; k < std::min(f.K, from + kChain); ++k) {
      Wide<R> w[kRegisters];
#pragma GCC unroll 4
      for (int v = 0; v < kRegisters; ++v) w[v] = widen<FORMAT, R>(p + k * kColumns + v * W);
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < kRegisters; ++v) sum[r][v] += x[r * f.K + k] * w[v];
    }
    for (int r = 0; r < ROWS; ++r) {
      float chain[kRegisters * W];
      for (int v = 0; v < kRegisters; ++v) put<R>((from == 0 ? total[r] : chain) + v * W, sum[r][v]);
      for (int i = 0; from > 0 && i < kRegisters * W; ++i) add_accurately(total[r][i], lost[r][i], chain[i]);
    }
  }
  const int64_t count = std::min<int64_t>(kRegisters * W, f.N - n);
  for (int r = 0; r < ROWS; ++r)
    for (int64_t i = 0; i < count; ++i)  // one chain stays as it is: adding 0 would lose the sign of -0
      f.y[(m + r) * f.N + n + i] = f.K <= kChain ? total[r][i] : rounded(total[r][i], lost[r][i]);
}

template <HalfFormat FORMAT, int R, int ROWS>
[[gnu::always_inline]] inline void last_rows(const Few& f, int64_t m, int64_t n, const uint16_t* p, int64_t rows) {
  if constexpr (ROWS > 0) {
    if (rows == ROWS) return few_rows<FORMAT, R, ROWS>(f, m, n, p);
    last_rows<FORMAT, R, ROWS - 1>(f, m, n, p, rows);
  }
}

template <HalfFormat FORMAT>
void few(const Few& f, int64_t strips) {
  vectorised_for(0, strips, kWorkOfAThread / (f.K * kColumns) + 1, [&]<int R>(int64_t begin, int64_t end) {
    constexpr int64_t width = 4 * kWidth<float, R>;
    for (int64_t s = begin; s < end; ++s)
      for (int64_t n = s * kColumns; n < std::min(f.N, (s + 1) * kColumns); n += width)
        for (int64_t m = 0; m < f.M; m += kRows<R>)
          last_rows<FORMAT, R, kRows<R>>(f, m, n, f.strips + s * kColumns * f.K + n % kColumns,
                                         std::min<int64_t>(kRows<R>, f.M - m));
  });
}

// to [K, columns] = strips, `row` apart.
template <HalfFormat FORMAT>
void widen_strips(const uint16_t* strips, int64_t K, int64_t columns, float* to, int64_t row) {
  vectorised_for(0, K, kWorkOfAThread / kBlock, [&]<int R>(int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k)
      for (int64_t n = 0; n < columns; n += kWidth<float, R>)
        put<R>(to + k * row + n, widen<FORMAT, R>(strips + n / kColumns * kColumns * K + k * kColumns + n % kColumns));
  });
}

// --- stand-ins

struct StandIns {
  std::mutex mutex;
  std::unordered_map<const Storage*, const HalfMatrix*> all;
};
StandIns& stand_ins() {
  static auto* const all = new StandIns;  // never destroyed: a model may be static
  return *all;
}

}  // namespace

float widened_f16(uint16_t x) {
  const float size = std::bit_cast<float>((x & 0x7fffu) << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(size) | (x & 0x8000u) << 16);
}

void widen_16(HalfFormat format, const uint16_t* from, float* to) {
  vectorised([=]<int R>() {
    for (int64_t i = 0; i < 16; i += kWidth<float, R>)
      put<R>(to + i,
             format == HalfFormat::f16 ? widen<HalfFormat::f16, R>(from + i) : widen<HalfFormat::bf16, R>(from + i));
  });
}

std::shared_ptr<const HalfMatrix> HalfMatrix::of(const Tensor& w) {
  if (w.rank() != 2 || w.dtype() != DType::f32 || w.size(0) < 2 || w.size(1) < 2) return nullptr;
  for (HalfFormat format : {HalfFormat::bf16, HalfFormat::f16})
    if (all_fit(format, w)) {
      std::shared_ptr<HalfMatrix> half(new HalfMatrix(format, w.size(0), w.size(1)));
      const int64_t row = w.strides()[0], column = w.strides()[1];
      pack(half->N_, half->K_, half->strips_.data<float>(), [=, from = w.data<float>()](int64_t n, int64_t k) {
        uint16_t bits = 0;
        (void)narrow(format, from[n * row + k * column], bits);
        return bits;
      });
      return half;
    }
  return nullptr;
}

std::shared_ptr<const HalfMatrix> HalfMatrix::of(const HalfNumbers& w) {
  if (w.N < 2 || w.K < 2) return nullptr;
  std::shared_ptr<HalfMatrix> half(new HalfMatrix(w.format, w.N, w.K));
  pack(w.N, w.K, half->strips_.data<float>(), [w](int64_t n, int64_t k) { return w.data[n * w.row + k * w.column]; });
  const int endless = w.format == HalfFormat::bf16 ? 0x7f80 : 0x7c00;  // the exponent of infinities and NaN
  const auto* strips = reinterpret_cast<const uint16_t*>(half->strips_.data<float>());
  const bool finite = std::none_of(strips, strips + 2 * half->strips_.count(),
                                   [=](uint16_t bits) { return (bits & endless) == endless; });
  return finite ? half : nullptr;
}

HalfMatrix::HalfMatrix(HalfFormat format, int64_t N, int64_t K)
    : format_(format),
      N_(N),
      K_(K),
      stand_in_(Tensor::full({N, 1}, std::numeric_limits<double>::quiet_NaN()).expand({N, K})),
      strips_(Tensor::zeros({divide_up(N, kColumns) * kColumns * K / 2})) {
  std::lock_guard lock(stand_ins().mutex);
  stand_ins().all.emplace(&stand_in_.storage(), this);
}

HalfMatrix::~HalfMatrix() {
  std::lock_guard lock(stand_ins().mutex);
  stand_ins().all.erase(&stand_in_.storage());
}

const HalfMatrix* HalfMatrix::behind(const Tensor& w) {
  if (w.rank() != 2 || w.strides()[0] != 1 || w.strides()[1] != 0) return nullptr;  // as nearly all; also W^T
  std::lock_guard lock(stand_ins().mutex);
  const auto found = stand_ins().all.find(&w.storage());
  return found == stand_ins().all.end() || !(w.shape() == found->second->stand_in_.shape()) ? nullptr : found->second;
}

Tensor HalfMatrix::product(const Tensor& given) const {
  if (given.rank() == 0 || given.size(-1) != K_)
    throw ShapeError(fmt::format("HalfMatrix: x [.., K] and W [N, K] must agree in K; got x {} and W {}",
                                 to_string(given.shape()), to_string(stand_in_.shape())));
  const Tensor x = given.contiguous();
  Shape shape = x.shape();
  shape[shape.rank() - 1] = N_;
  Tensor y = Tensor::empty(shape);
  const int64_t M = x.count() / K_, strips = divide_up(N_, kColumns);
  Kernel kernel("matmul", Kernel::Product{}, static_cast<double>(M * N_) * static_cast<double>(K_));
  const auto* p = reinterpret_cast<const uint16_t*>(strips_.data<float>());
  if (M <= kFewRows) {
    const Few all{p, N_, K_, x.data<float>(), M, y.data<float>()};
    format_ == HalfFormat::f16 ? few<HalfFormat::f16>(all, strips) : few<HalfFormat::bf16>(all, strips);
    return y;
  }
  Tensor wide = Tensor::empty({K_, std::min(kBlock, strips * kColumns)});
  for (int64_t n = 0; n < N_; n += kBlock) {
    const int64_t columns = std::min(kBlock, strips * kColumns - n), row = wide.size(1);
    const uint16_t* from = p + n * K_;
    format_ == HalfFormat::f16 ? widen_strips<HalfFormat::f16>(from, K_, columns, wide.data<float>(), row)
                               : widen_strips<HalfFormat::bf16>(from, K_, columns, wide.data<float>(), row);
    gemm<float>(M, std::min(kBlock, N_ - n), K_, {x.data<float>(), K_, 1}, {wide.data<float>(), row, 1},
                {y.data<float>() + n, N_, 1}, /*accumulate=*/false);
  }
  return y;
}

Tensor HalfMatrix::rows(const Tensor& given) const {
  const Tensor index = given.contiguous();
  Shape shape = index.shape();
  shape.push_back(K_);
  Tensor y = Tensor::empty(shape);
  const auto* strips = reinterpret_cast<const uint16_t*>(strips_.data<float>());
  for (int64_t i = 0; i < index.count(); ++i) {
    const int64_t n = index.data<int64_t>()[i];
    if (n < 0 || n >= N_) throw IndexError(fmt::format("HalfMatrix: a row must lie in [0, {}); got {}", N_, n));
    const uint16_t* from = strips + n / kColumns * kColumns * K_ + n % kColumns;
    for (int64_t k = 0; k < K_; ++k) y.data<float>()[i * K_ + k] = widened_one(format_, from[k * kColumns]);
  }
  return y;
}

Tensor HalfMatrix::widened() const { return rows(Tensor::arange(N_)); }

}  // namespace heed
