#include "nn/attention/normalisers/matrix_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

constexpr double kSingular = 1e-14;  // a pivot this small, relative to the largest entry, has no digit left

// One matrix by elimination with row pivots (Gauss-Jordan), beside an identity that becomes the inverse; zeros if
// it has none. `m` is overwritten.
void invert(double* m, double* inverse, int64_t n) {
  double largest = 0;
  for (int64_t i = 0; i < n * n; ++i) inverse[i] = i % (n + 1) == 0, largest = std::max(largest, std::abs(m[i]));
  for (int64_t column = 0; column < n; ++column) {
    int64_t pivot = column;
    for (int64_t i = column; i < n; ++i)
      if (std::abs(m[i * n + column]) > std::abs(m[pivot * n + column])) pivot = i;
    if (!(std::abs(m[pivot * n + column]) > kSingular * largest)) return std::fill_n(inverse, n * n, 0.0), void();
    double by = 1 / m[pivot * n + column];
    for (double* x : {m, inverse}) {
      std::swap_ranges(x + pivot * n, x + (pivot + 1) * n, x + column * n);
      for (int64_t j = 0; j < n; ++j) x[column * n + j] *= by;
    }
    for (int64_t i = 0; i < n; ++i) {
      double times = i == column ? 0 : m[i * n + column];
      for (double* x : {m, inverse})
        for (int64_t j = 0; times != 0 && j < n; ++j) x[i * n + j] -= times * x[column * n + j];
    }
  }
}

// N = M^-1 of the last two axes          dM = -N^T dN N^T
Variable inverse(const Variable& matrices) {
  int64_t n = matrices.size(-1);
  Tensor m = Tensor::empty(matrices.shape(), DType::f64), N = Tensor::empty(matrices.shape(), DType::f64);
  Tensor from = matrices.value().to(DType::f64).contiguous();
  std::copy_n(from.data<double>(), from.count(), m.data<double>());
  for (int64_t at = 0; at < m.count(); at += n * n) invert(m.data<double>() + at, N.data<double>() + at, n);
  N = N.to(matrices.dtype());
  return attach("inverse", {matrices}, N, [kept = save_output(N)](Grads& g, const Variable& dN) {
    Variable across = transpose(g[kept], -2, -1);
    g.add(0, -matmul(matmul(across, dN), across));
  });
}

}  // namespace

Variable MatrixTreeNormaliser::weights(const Variable& scores, StageContext&) const {
  int64_t n = scores.size(-1);
  if (scores.size(-2) != n)
    throw ShapeError(fmt::format(
        "matrix_tree: needs as many queries as keys, the words of one sentence; got scores {}; hint: self-attention",
        to_string(scores.shape())));
  if (n == 0) return scores;
  DType dtype = scores.dtype();
  Tensor outside = barred(scores), top = amax(scores.value(), {-1}, true), empty = equal(top, -INFINITY);  // [.., T, 1]
  Variable shifted = scores - Variable(where(empty, Tensor::zeros({}, dtype), top));
  Variable eye(Tensor::eye(n, dtype)), others(logical_not(equal(Tensor::eye(n, dtype), 1)).to(dtype));
  Variable all = masked_fill(exp(shifted), outside, 0), A = all * others;
  Variable root = sum(all * eye, {-1}, true);  // exp(e_tt)  [.., T, 1]
  // c: the first word that may attend to anything, as a row of zeros and a one; zeros if there is none.
  Tensor some = logical_not(empty).to(dtype).squeeze(-1);                                     // [.., T]
  Tensor c = mul(one_hot(argmax(some, -1), n, dtype), amax(some, {-1}, true)).unsqueeze(-2);  // [.., 1, S]
  Variable chosen(c), rest(sub(Tensor::ones({}, dtype), c)), from_rest(rest.value().transpose(-2, -1));
  // A word without any head is left out of the trees: 1 on its diagonal.
  Variable M = (sum(A, {-1}, true) + Variable(empty.to(dtype))) * eye - A;
  Variable N = inverse(M * rest + root * chosen), across = transpose(N, -2, -1);
  Variable own = sum(N * eye, {-1}, true);                                    // N_tt [.., T, 1]
  Variable of_root = transpose(matmul(chosen, N), -2, -1);                    // N_ct [.., T, 1]
  return relu(A * (own * from_rest - across * rest) + root * of_root * eye);  // rounding may leave -1e-17
}

}  // namespace heed::nn
