// The building blocks of tiled attention: packing operands for the tiles of gemm_kernel.h, and rows of scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/gemm_kernel.h"
#include "tensor/kernels/overflow.h"
#include "tensor/kernels/vec_math.h"

namespace heed {

template <class F>
constexpr int64_t padded(int64_t n) {  // whole vectors of 64 bytes
  return (n + kLanes<F> - 1) / kLanes<F> * kLanes<F>;
}
template <class F, int R>
Parts strips_of(int64_t width) {  // counted in registers
  int64_t registers = width / kWidth<F, R>;
  return {0, registers, tile_shape<R>(registers).vectors};
}

// Packs rows [K, width] into strips: the right operand b [K, N] of a product, N = width padded, cut by columns. The
// strips follow each other, each [K, its columns].
template <class F, int R>
void pack_rows(int64_t K, int64_t width, const F* from, int64_t row, F* to) {
  constexpr int64_t W = kWidth<F, R>;
  Parts strips = strips_of<F, R>(padded<F>(width));
  for (int64_t s = 0; s < strips.count; ++s) {
    int64_t begin = strips.at(s) * W, end = strips.at(s + 1) * W;
    for (int64_t k = 0; k < K; ++k)
      for (int64_t j = begin; j < end; j += W, to += W) {
        const F* x = from + k * row + j;
        if (int64_t n = width - j; n >= W)
          put<R>(to, get<R>(x));
        else
          for (int64_t i = 0; i < W; ++i) to[i] = i < n ? x[i] : F{0};
      }
  }
}

// Packs rows [n, K] transposed, as the strips of b [K, n padded].
template <class F, int R>
void pack_turned(int64_t n, int64_t K, const F* from, int64_t row, F* to) {
  constexpr int64_t W = kWidth<F, R>;
  alignas(64) F square[W * W];
  Parts strips = strips_of<F, R>(padded<F>(n));
  for (int64_t s = 0; s < strips.count; ++s) {
    int64_t begin = strips.at(s) * W, columns = strips.at(s + 1) * W - begin;
    for (int64_t j = 0; j < columns; j += W) {
      const F* x = from + (begin + j) * row;
      int64_t lanes = std::clamp<int64_t>(n - begin - j, 0, W), k = 0;
      for (; k + W <= K; k += W) {
        if (lanes == W) {
          transpose_square<F, R>(x + k, row, to + k * columns + j, columns);
          continue;
        }
        for (int64_t i = 0; i < W; ++i) put<R>(square + i * W, i < lanes ? get<R>(x + i * row + k) : V<F, R>{});
        transpose_square<F, R>(square, W, to + k * columns + j, columns);
      }
      for (; k < K; ++k)
        for (int64_t i = 0; i < W; ++i) to[k * columns + j + i] = i < lanes ? x[i * row + k] : F{0};
    }
    to += K * columns;
  }
}

// Positions begin, ..., end - 1.
struct Span {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
};

// The right operand of a product: strips, or rows of whole vectors that have not been packed. Rows of an expanded
// tensor are 0 apart.
template <class F>
struct Right {
  const F* p;
  int64_t row = kStrips;
  static constexpr int64_t kStrips = -1;
};

// c [M, N] = a [M, K] b [K, N], or c += a b. Only the strips that hold some of `columns` are computed, and only rows
// `inner` of b are read.
template <class F, int R>
void block_product(int64_t M, int64_t N, int64_t K, MatrixView<const F> a, Right<F> b, F* c, int64_t c_row,
                   bool accumulate, Span columns, Span inner) {
  constexpr int64_t W = kWidth<F, R>;
  Parts strips = strips_of<F, R>(N), rows(0, M, tile_shape<R>(N / W).rows);
  const F* first = a.p + inner.begin * a.column;
  for (int64_t s = 0; s < strips.count; ++s) {
    int64_t column = strips.at(s) * W, width = strips.at(s + 1) * W - column;
    bool packed = b.row == Right<F>::kStrips;
    const F* strip = b.p + (packed ? column * K + inner.begin * width : column + inner.begin * b.row);
    if (column >= columns.end || column + width <= columns.begin) continue;
    for (int64_t i = 0; i < rows.count; ++i) {
      int64_t row = rows.at(i);
      run_tile<R, F>(rows.at(i + 1) - row, width / W,
                     {.K = inner.size(),
                      .a = first + row * a.row,
                      .a_row = a.row,
                      .a_column = a.column,
                      .b = strip,
                      .b_row = packed ? width : b.row,
                      .b_copy = nullptr,
                      .c = c + row * c_row + column,
                      .c_row = c_row,
                      .from_c = accumulate});
    }
  }
}

// What is applied to a row of scores before the softmax: scale, masks and bias. Lanes outside `visible` become -inf.
template <class F>
struct RowRule {
  F scale;
  Span visible;
  const bool *kept, *allowed;  // by the block list; by the attention mask; or null
  const F* bias;               // or null
};

// Columns j, ..., j + lanes - 1 of a row whose products are x.
template <int R, class F>
inline Lanes<F, R> ruled(Lanes<F, R> x, int64_t j, const RowRule<F>& rule) {
  Lanes<F, R> low = -std::numeric_limits<F>::infinity();
  int64_t n = std::min(kLanes<F>, rule.visible.end - j), skipped = rule.visible.begin - j;
  if (n <= 0 || skipped >= kLanes<F>) return low;
  x = x * rule.scale;
  if (n == kLanes<F>) {  // a size known at compile time
    if (rule.bias) x += load<R>(rule.bias + j);
    if (rule.allowed) x = where(mask_of<F, R>(rule.allowed + j, kLanes<F>), x, low);
    if (rule.kept) x = where(mask_of<F, R>(rule.kept + j, kLanes<F>), x, low);
    return skipped <= 0 ? x : where(lane_numbers<F, R>() < skipped, low, x);
  }
  if (rule.bias) x += load_first<R>(rule.bias + j, n);
  if (rule.allowed) x = where(mask_of<F, R>(rule.allowed + j, n), x, low);
  if (rule.kept) x = where(mask_of<F, R>(rule.kept + j, n), x, low);
  if (skipped > 0) x = where(lane_numbers<F, R>() < skipped, low, x);
  return where(lane_numbers<F, R>() < n, x, low);
}

// Computes scores from products, in place, of columns that are whole vectors. Returns the maximum of the scores that
// are not NaN; if these are all -inf and there is a NaN, returns NaN.
template <int R, class F>
F scores_of_row(F* e, Span columns, const RowRule<F>& rule) {
  Lanes<F, R> top = -std::numeric_limits<F>::infinity(), broken = {};
  for (int64_t j = columns.begin; j < columns.end; j += kLanes<F>) {
    Lanes<F, R> x = ruled<R>(load<R>(e + j), j, rule);
    store(e + j, x);
    top = vmax(x, top);
    broken = where(x != x, x, broken);
  }
  F most = greatest_lane(top);
  if (most > -std::numeric_limits<F>::infinity()) return most;
  F sum = add_lanes(broken);  // 0, or NaN
  return sum != sum ? sum : most;
}

// Replaces scores by e^(score - top) and returns their sum.
template <int R, class F>
F exponentials(F* e, int64_t width, F top) {
  Lanes<F, R> total = {};
  for (int64_t j = 0; j < width; j += kLanes<F>) {
    Lanes<F, R> x = exp_of_negative(load<R>(e + j) - top);
    store(e + j, x);
    total += x;
  }
  return add_lanes(total);
}

template <int R, class F>
void scale_row(F* x, int64_t width, F s) {
  for (int64_t j = 0; j < width; j += kLanes<F>) store(x + j, load<R>(x + j) * s);
}

// A row of the backward pass (letters: tiled_attention.h): e becomes weights (after dropout), dw becomes scaled de.
template <class F>
struct BackwardRow {
  F top, scale_of_total;  // m, 1 / l
  F dot;                  // D
  const F* factors;       // of dropout, or null
  F scale;                // of the scores
  F* de;                  // receives de without the scale, for the gradient of a bias; null if there is none
};
template <int R, class F>
void gradients_of_row(F* e, F* dw, Span columns, const RowRule<F>& rule, const BackwardRow<F>& row) {
  // A separate loop: in the loop below, GCC would fuse this product with the subtraction at -O1, but not at -O3.
  for (int64_t j = columns.begin; row.factors && j < columns.end; j += kLanes<F>)
    store(dw + j, load<R>(dw + j) * load<R>(row.factors + j));
  for (int64_t j = columns.begin; j < columns.end; j += kLanes<F>) {
    Lanes<F, R> w = exp_of_negative(ruled<R>(load<R>(e + j), j, rule) - row.top) * row.scale_of_total;
    store(e + j, row.factors ? w * load<R>(row.factors + j) : w);
    Lanes<F, R> difference = load<R>(dw + j) - row.dot;
    if (row.de) store(row.de + j, w * difference);
    store(dw + j, w * row.scale * difference);
  }
}

// The same for a row whose top is +inf, with the weights that without_overflow gives.
template <int R, class F>
[[gnu::cold]] void gradients_of_overflow(F* e, F* dw, Span columns, const RowRule<F>& rule, BackwardRow<F> row) {
  scores_of_row<R>(e, columns, rule);
  row.top = without_overflow(e + columns.begin, columns.size());
  gradients_of_row<R>(e, dw, columns, RowRule<F>{1, {columns.begin, columns.end}, nullptr, nullptr, nullptr}, row);
}

template <int R, class F>
F sum_of_row(const F* x, Span columns) {
  Lanes<F, R> total = {};
  for (int64_t j = columns.begin; j < columns.end; j += kLanes<F>) total += load<R>(x + j);
  return add_lanes(total);
}

}  // namespace heed
