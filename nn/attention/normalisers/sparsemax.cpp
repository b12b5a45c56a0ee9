#include "nn/attention/normalisers/sparsemax.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// tau of one row of scores minus its maximum, and this maximum; `sorted` is scratch memory. The maximum is subtracted
// first: sums of scores near 1e12 would have no digit left for the 1.
std::pair<double, double> threshold(const double* z, int64_t S, std::vector<double>& sorted) {
  double top = -INFINITY;
  for (int64_t s = 0; s < S; ++s) {
    if (std::isnan(z[s]) || z[s] == INFINITY) return {std::numeric_limits<double>::quiet_NaN(), 0};
    top = std::max(top, z[s]);
  }
  if (top == -INFINITY) return {INFINITY, 0};
  sorted.clear();
  for (int64_t s = 0; s < S; ++s)
    if (z[s] - top > -1) sorted.push_back(z[s] - top);  // tau >= top - 1: none below it can have a weight
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double total = 0, tau = 0;
  for (size_t k = 1; k <= sorted.size(); ++k) {
    total += sorted[k - 1];
    if (!(1 + static_cast<double>(k) * sorted[k - 1] > total)) break;
    tau = (total - 1) / static_cast<double>(k);
  }
  return {tau, top};
}

}  // namespace

Variable sparsemax(const Variable& z) {
  int64_t S = z.size(-1);
  Tensor scores = z.value().to(DType::f64).contiguous(), w = Tensor::empty(z.shape(), DType::f64);
  const double* from = scores.data<double>();
  double* to = w.data<double>();
  std::vector<double> sorted;
  for (int64_t row = 0, rows = S == 0 ? 0 : scores.count() / S; row < rows; ++row, from += S, to += S) {
    auto [tau, top] = threshold(from, S, sorted);
    for (int64_t s = 0; s < S; ++s)
      to[s] = std::isnan(tau) ? tau : from[s] == -INFINITY ? 0 : std::max(from[s] - top - tau, 0.0);
  }
  w = w.to(z.dtype());
  Tensor outside = equal(w, 0), size = sum(not_equal(w, 0).to(z.dtype()), {-1}, true);
  Tensor divisor = maximum(size, Tensor::ones({}, z.dtype()));  // of a row without support 1
  return attach("sparsemax", {z}, w, [outside, divisor](Grads& g, const Variable& dw) {
    Variable inside = masked_fill(dw, outside, 0);
    g.add(0, masked_fill(inside - sum(inside, {-1}, true) / Variable(divisor), outside, 0));
  });
}

}  // namespace heed::nn
