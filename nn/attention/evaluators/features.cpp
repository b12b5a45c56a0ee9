#include "nn/attention/evaluators/features.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

double inner(const double* a, const double* b, int64_t K) {
  double total = 0;
  for (int64_t i = 0; i < K; ++i) total += a[i] * b[i];
  return total;
}

// Gram-Schmidt, twice against rounding: rows [begin, end) become orthogonal, of the lengths that fresh rows have.
void orthogonalise(std::vector<double>& w, int64_t begin, int64_t end, int64_t K, Generator& rng) {
  for (int64_t r = begin; r < end; ++r) {
    double* row = &w[static_cast<size_t>(r * K)];
    for (int again = 0; again < 2; ++again)
      for (int64_t other = begin; other < r; ++other) {
        const double* before = &w[static_cast<size_t>(other * K)];
        double share = inner(row, before, K) / inner(before, before, K);
        for (int64_t i = 0; i < K; ++i) row[i] -= share * before[i];
      }
    double length = 0;
    for (int64_t i = 0; i < K; ++i) {
      double entry = rng.normal();
      length += entry * entry;
    }
    double factor = std::sqrt(length / inner(row, row, K));
    for (int64_t i = 0; i < K; ++i) row[i] *= factor;
  }
}

}  // namespace

Features in_rows(const Variable& part) {
  Tensor size = amax(abs(part.value()), {-1}, true);  // [.., n, 1]
  size = where(equal(size, 0), Tensor::ones(size.shape(), size.dtype()), size);
  return {Variable(log(size)), part / Variable(size)};
}

Tensor random_directions(int64_t m, int64_t K, bool orthogonal, uint64_t seed) {
  Generator rng(seed);
  std::vector<double> w(static_cast<size_t>(m * K));
  for (double& entry : w) entry = rng.normal();
  for (int64_t begin = 0; orthogonal && begin < m; begin += K) orthogonalise(w, begin, std::min(m, begin + K), K, rng);
  return Tensor::from(w, {m, K});
}

uint64_t layer_seed(int64_t seed, int64_t layer) {
  return static_cast<uint64_t>(seed) * 1000003 + static_cast<uint64_t>(layer);
}

}  // namespace heed::nn
