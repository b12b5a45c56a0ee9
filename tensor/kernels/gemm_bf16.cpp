// The loops are those of gemm_rectangle.h, simplified: everything is packed, always in strips of 16 lanes (rows of A or
// columns of B), in which the bf16 of k and k + 1 are side by side, as VDPBF16PS reads them:
//
// clang-format off
//   pair of k      [ lane 0: k, k+1 | lane 1: k, k+1 | ... | lane 15 ]     64 bytes, a register
//   pair of k + 2  [ ..                                              ]
//
//   for columns, 480 at a time         B's block, 480 x 512: 480 KiB of L2
//     for k, 512 at a time
//       for rows, 16 at a time         A's strip, 16 x 512: 16 KiB of L1
//         for columns, 48 at a time
//           tile: for each pair of k   sums of 8 x 48: 24 registers; a pair of A goes to all lanes
// clang-format on
#include "tensor/kernels/gemm_bf16.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tensor/allocator.h"
#include "tensor/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heed {
namespace {

using Pair = uint32_t;  // the bf16 of an even k in the lower half, that of k + 1 in the upper half

constexpr int64_t kStrip = 16, kStripSize = kStrip * kBf16Chain / 2;  // lanes; pairs
constexpr int64_t kRows = 8, kStrips = 3;                             // of a tile
constexpr int64_t kBlockStrips = 30;                                  // of B
constexpr int64_t kWorkOfAThread = 500 * 1024;                        // multiply-adds

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A tile computes `sums` [rows, 16 strips]. `a` points at its first row in A's strip, `b` at its first strip of B.
struct Tile {
  int64_t pairs;
  const Pair *a, *b;
  float* sums;
};

// What depends on the processor. `from` is [lanes, depth]; missing lanes, and a missing k + 1, become zeros.
struct Unit {
  void (*pack)(int64_t lanes, int64_t depth, MatrixView<const float> from, Pair* to);
  void (*tile)(int64_t rows, int64_t strips, const Tile& t);
};

// ---- emulated -------------------------------------------------------------------------------------------------------
void pack_emulated(int64_t lanes, int64_t depth, MatrixView<const float> from, Pair* to) {
  auto at = [&](int64_t lane, int64_t k) -> Pair {
    return lane < lanes && k < depth ? to_bf16(from.p[lane * from.row + k * from.column]) : 0u;
  };
  for (int64_t k = 0; k < depth; k += 2)
    for (int64_t lane = 0; lane < kStrip; ++lane) *to++ = at(lane, k) | at(lane, k + 1) << 16;
}

// fl(s + a b). In double the product is exact, and the sum is accurate enough that the second rounding, to float,
// gives the nearest float. The smallest sum that rounds to the normal range is 2^-126 minus half a place (2^-151).
inline float add_product(float s, float a, float b) {
  const double sum = static_cast<double>(s) + static_cast<double>(a) * static_cast<double>(b);
  const auto nearest = static_cast<float>(sum);
  return nearest * (std::abs(sum) < 0x1p-126 - 0x1p-151 ? 0.0f : 1.0f);  // keeps the sign
}
inline float low(Pair p) { return std::bit_cast<float>(p << 16); }
inline float high(Pair p) { return std::bit_cast<float>(p & 0xffff0000u); }

void tile_emulated(int64_t rows, int64_t strips, const Tile& t) {
  std::fill_n(t.sums, rows * strips * kStrip, 0.0f);
  for (int64_t k = 0; k < t.pairs; ++k)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t strip = 0; strip < strips; ++strip) {
        const Pair a = t.a[k * kStrip + i], *b = t.b + strip * kStripSize + k * kStrip;
        float* s = t.sums + (i * strips + strip) * kStrip;
        for (int64_t j = 0; j < kStrip; ++j)
          s[j] = add_product(add_product(s[j], high(a), high(b[j])), low(a), low(b[j]));
      }
}
constexpr Unit kEmulated = {pack_emulated, tile_emulated};

// ---- AVX512-BF16 ----------------------------------------------------------------------------------------------------
#if defined(__x86_64__)
[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] inline __mmask16 first_of(
    int64_t n) {  // a mask of the first n lanes
  return static_cast<__mmask16>((1u << std::clamp<int64_t>(n, 0, kStrip)) - 1);
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void pack_by_instruction(int64_t lanes, int64_t depth,
                                                                                 MatrixView<const float> from,
                                                                                 Pair* to) {
  if (from.row == 1) {  // lanes are adjacent in memory: load k and k + 1, then interleave them
    alignas(64) static constexpr uint16_t kSideBySide[] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                           21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                           11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __m512i side_by_side = _mm512_load_si512(kSideBySide);
    for (int64_t k = 0; k < depth; k += 2, to += kStrip) {
      const float* p = from.p + k * from.column;
      __m512 even = _mm512_maskz_loadu_ps(first_of(lanes), p), odd = _mm512_setzero_ps();
      if (k + 1 < depth) odd = _mm512_maskz_loadu_ps(first_of(lanes), p + from.column);
      auto both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd, even));  // all of k, then all of k + 1
      _mm512_storeu_si512(to, _mm512_permutexvar_epi16(side_by_side, both));
    }
  } else if (from.column == 1) {  // the k are adjacent: 16 pairs of 16 lanes are transposed by 4 rounds of interleaving
    const __m512i lower = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i upper = _mm512_add_epi32(lower, _mm512_set1_epi32(8));
    for (int64_t k = 0; k < depth; k += 2 * kStrip) {
      __m512i x[kStrip], y[kStrip];
#pragma GCC unroll 16
      for (int64_t i = 0; i < kStrip; ++i) {
        const int64_t left = i < lanes ? depth - k : 0;
        const float* p = from.p + (i < lanes ? i * from.row + k : 0);
        x[i] = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(first_of(left - kStrip), p + kStrip),
                                                             _mm512_maskz_loadu_ps(first_of(left), p)));
      }
#pragma GCC unroll 4
      for (int bit = 0; bit < 4; ++bit) {
#pragma GCC unroll 8
        for (int64_t i = 0; i < kStrip / 2; ++i) {
          y[2 * i] = _mm512_permutex2var_epi32(x[i], lower, x[i + kStrip / 2]);
          y[2 * i + 1] = _mm512_permutex2var_epi32(x[i], upper, x[i + kStrip / 2]);
        }
#pragma GCC unroll 16
        for (int64_t i = 0; i < kStrip; ++i) x[i] = y[i];
      }
      const int64_t pairs = divide_up(std::min(depth - k, 2 * kStrip), 2);
#pragma GCC unroll 16
      for (int64_t i = 0; i < kStrip; ++i)
        if (i < pairs) _mm512_storeu_si512(to + i * kStrip, x[i]);
      to += pairs * kStrip;
    }
  } else {
    pack_emulated(lanes, depth, from, to);
  }
}

template <int ROWS, int STRIPS>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void tile_by_instruction(const Tile& t) {
  __m512 sums[ROWS][STRIPS];
#pragma GCC unroll 8
  for (auto& row : sums)
#pragma GCC unroll 3
    for (__m512& sum : row) sum = _mm512_setzero_ps();
  const Pair *a = t.a, *b = t.b;
  for (int64_t k = 0; k < t.pairs; ++k, a += kStrip, b += kStrip) {
    __m512i y[STRIPS];
#pragma GCC unroll 3
    for (int j = 0; j < STRIPS; ++j) y[j] = _mm512_loadu_si512(b + j * kStripSize);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i) {
      const __m512i x = _mm512_set1_epi32(static_cast<int>(a[i]));
#pragma GCC unroll 3
      for (int j = 0; j < STRIPS; ++j)
        sums[i][j] = _mm512_dpbf16_ps(sums[i][j], reinterpret_cast<__m512bh>(x), reinterpret_cast<__m512bh>(y[j]));
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < STRIPS; ++j) _mm512_storeu_ps(t.sums + (i * STRIPS + j) * kStrip, sums[i][j]);
}

void choose_tile(int64_t rows, int64_t strips, const Tile& t) {
  static constexpr auto tiles = []<int... i>(std::integer_sequence<int, i...>) {
    struct Tiles {
      void (*run[sizeof...(i)])(const Tile&);
    };
    return Tiles{{tile_by_instruction<i / kStrips + 1, i % kStrips + 1>...}};
  }
  (std::make_integer_sequence<int, kRows * kStrips>{});
  tiles.run[(rows - 1) * kStrips + strips - 1](t);
}
constexpr Unit kInstruction = {pack_by_instruction, choose_tile};
#else
constexpr Unit kInstruction = kEmulated;
#endif

// ---- the loops ------------------------------------------------------------------------------------------------------
struct Problem {
  int64_t M, N, K;
  MatrixView<const float> a, b;
  MatrixView<float> c;
  bool accumulate;
};

// The part of C in rows [m0, m1) and columns [n0, n1).
void rectangle(const Problem& p, const Unit& unit, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  const int64_t strips = std::min(kBlockStrips, divide_up(n1 - n0, kStrip));
  const size_t bytes = static_cast<size_t>((strips + 1) * kStripSize) * sizeof(Pair);
  auto* b = static_cast<Pair*>(allocate(bytes));
  Pair* a = b + strips * kStripSize;
  for (int64_t n = n0; n < n1; n += kBlockStrips * kStrip)
    for (int64_t k = 0; k == 0 || k < p.K; k += kBf16Chain) {
      const int64_t end = std::min(n1, n + kBlockStrips * kStrip), depth = std::min(p.K - k, kBf16Chain);
      for (int64_t j = n; j < end; j += kStrip)
        unit.pack(std::min(end - j, kStrip), depth, {p.b.p + k * p.b.row + j * p.b.column, p.b.column, p.b.row},
                  b + (j - n) / kStrip * kStripSize);
      for (int64_t m = m0; m < m1; m += kStrip) {
        unit.pack(std::min(m1 - m, kStrip), depth, {p.a.p + m * p.a.row + k * p.a.column, p.a.row, p.a.column}, a);
        for (int64_t j = n, next = 0; j < end; j = next) {
          const int64_t left = divide_up(end - j, kStrip), wide = left == 4 ? 2 : std::min(left, kStrips);
          next = j + wide * kStrip;
          for (int64_t i = m; i < std::min(m1, m + kStrip); i += kRows) {
            alignas(64) float sums[kRows * kStrips * kStrip];
            const int64_t rows = std::min({kRows, m1 - i, m + kStrip - i}), width = std::min(next, end) - j;
            unit.tile(rows, wide, {divide_up(depth, 2), a + (i - m), b + (j - n) / kStrip * kStripSize, sums});
            for (int64_t r = 0; r < rows; ++r) {
              const float* from = sums + r * wide * kStrip;
              float* to = p.c.p + (i + r) * p.c.row + j * p.c.column;
              if (p.accumulate || k > 0)
                for (int64_t x = 0; x < width; ++x) to[x * p.c.column] += from[x];
              else
                for (int64_t x = 0; x < width; ++x) to[x * p.c.column] = from[x];
            }
          }
        }
      }
    }
  deallocate(b, bytes);
}

}  // namespace

bool has_bf16_products() {
#if defined(__x86_64__)
  static const bool has =
      __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return has;
#else
  return false;
#endif
}

void gemm_bf16(int64_t M, int64_t N, int64_t K, MatrixView<const float> a, MatrixView<const float> b,
               MatrixView<float> c, bool accumulate, bool emulate) {
  if (M == 0 || N == 0 || (K == 0 && accumulate)) return;
  auto cost = [](int64_t rows, int64_t columns) { return rows * divide_up(columns, kStrip); };
  if (cost(N, M) < cost(M, N)) {  // C^T = B^T A^T has the same sums, and fewer lanes of padding
    std::swap(M, N);
    std::swap(a, b);
    std::swap(a.row, a.column), std::swap(b.row, b.column), std::swap(c.row, c.column);
  }
  const Problem p{M, N, K, a, b, c, accumulate};
  const Unit& unit = emulate ? kEmulated : kInstruction;
  // A rectangle of C per thread, as square as possible: the rows of A and columns of B that each has to pack are few.
  const int64_t rows = divide_up(M, kStrip), strips = divide_up(N, kStrip);
  const int64_t threads = std::clamp<int64_t>(M * N * K / kWorkOfAThread, 1, thread_count());
  int64_t across = 1, down = 1, least = rows + strips;
  for (int64_t x = 1; x <= std::min(threads, strips); ++x)
    if (int64_t y = std::min(threads / x, rows), edge = divide_up(rows, y) + divide_up(strips, x);
        x * y > across * down || (x * y == across * down && edge < least))
      across = x, down = y, least = edge;
  parallel_for(0, across * down, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto cut = [](int64_t size, int64_t units, int64_t part, int64_t parts) {
        return std::min(size, units * part / parts * kStrip);
      };
      rectangle(p, unit, cut(M, rows, i / across, down), cut(M, rows, i / across + 1, down),
                cut(N, strips, i % across, across), cut(N, strips, i % across + 1, across));
    }
  });
}

}  // namespace heed
