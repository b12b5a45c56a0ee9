// Softmax and cross-entropy as textbooks write them, and a reference with more digits to judge them.
//
//   p_i = e^x_i / sum_j e^x_j          loss = -log p_y          x: logits [R, V], y: the right class of each row
//
// e^x is infinite from x = 710 on in f64 (from 89 on in f32), and infinity / infinity is NaN. Subtracting the largest
// logit of the row first avoids this. But in a row of -inf, -inf - (-inf) is NaN again.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/ops.h"
#include "tensor/reduce.h"

namespace heed {

inline Variable softmax_as_written(const Variable& x) {
  Variable e = exp(x);
  return e / sum(e, {-1}, /*keep=*/true);
}

inline Variable softmax_shifted(const Variable& x) {  // the shift cancels, so it is a constant without a gradient
  return softmax_as_written(x - max(x.value(), -1, /*keep=*/true));
}

// The loss of each row as the logarithm of a softmax. targets [R] -> [R]
inline Variable loss_as_written(const Variable& x, const Tensor& targets) {
  Variable p = softmax_as_written(x);
  return -log(reshape(gather(p, targets.view({targets.count(), 1})), {targets.count()}));
}

// The reference: one row in long double, which has 64 bits of mantissa instead of the 53 of f64.
struct Exact {
  std::vector<long double> p, log_p;
};
inline Exact exact_softmax(const double* x, int64_t n) {
  long double top = *std::max_element(x, x + n), z = 0;
  for (int64_t i = 0; i < n; ++i) z += std::exp(x[i] - top);
  Exact row;
  for (int64_t i = 0; i < n; ++i) {
    row.log_p.push_back(x[i] - top - std::log(z));
    row.p.push_back(std::exp(row.log_p.back()));
  }
  return row;
}

// Random logits [R, V] in (-1, 1); in each row, one of them is set to 1, so the largest logit is known.
inline Tensor random_logits(int64_t R, int64_t V, Generator& rng) {
  Tensor x = Tensor::uniform({R, V}, rng, -1, 1, DType::f64);
  for (int64_t r = 0; r < R; ++r) x.set({r, rng.below(V)}, 1);
  return x;
}
inline Tensor random_targets(int64_t R, int64_t V, Generator& rng) {  // [R] i64
  Tensor y = Tensor::empty({R}, DType::i64);
  for (int64_t r = 0; r < R; ++r) y.set({r}, static_cast<double>(rng.below(V)));
  return y;
}

// How many rows of a softmax p of x are right up to `tolerance`, and how many contain a NaN. x and p [R, V], any dtype.
struct Verdicts {
  int64_t right = 0, nan = 0;
};
inline Verdicts judge(const Tensor& x, const Tensor& p, double tolerance) {
  Verdicts found;
  std::vector<double> logits = x.to_vector(), shares = p.to_vector();
  int64_t V = x.size(1);
  for (int64_t r = 0; r < x.size(0); ++r) {
    Exact row = exact_softmax(logits.data() + r * V, V);
    bool right = true, nan = false;
    for (int64_t i = 0; i < V; ++i) {
      double share = shares[static_cast<size_t>(r * V + i)];
      nan = nan || std::isnan(share);
      right = right && std::abs(share - static_cast<double>(row.p[static_cast<size_t>(i)])) <= tolerance;
    }
    found.right += right;
    found.nan += nan;
  }
  return found;
}

// How many rows of a softmax of x, computed in the given dtype, are right: up to 1e-12 in f64, up to 1e-5 in f32.
enum class Kind { as_written, ours };
inline int64_t rows_right(const Tensor& x, Kind kind, DType dtype) {
  Variable at = x.to(dtype), p = kind == Kind::ours ? softmax(at) : softmax_as_written(at);
  return judge(at.value(), p.value(), dtype == DType::f64 ? 1e-12 : 1e-5).right;
}

}  // namespace heed
