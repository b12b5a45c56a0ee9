#include "nn/attention/normalisers/mocha.h"

#include <cmath>

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

// x [.., 1, S] -> [.., S, S]: the same row for each k.
Variable for_each_start(const Variable& x) {
  Shape square = x.shape();
  square[square.rank() - 2] = square[square.rank() - 1];
  return expand(x, square);
}

}  // namespace

MochaNormaliser::MochaNormaliser(const Options& o, Generator& seeds)
    : MonotonicNormaliser(o, seeds), chunk(o.settings.as<Settings>().chunk) {}

Variable MochaNormaliser::weights(const Variable& scores, StageContext& context) const {
  Variable alpha = alignment(scores, context);  // [.., T, S]
  int64_t T = scores.size(-2), S = scores.size(-1);
  if (T == 0 || S == 0) return alpha;
  Tensor outside = logical_not(band(S, 1 - chunk, 0));  // row k: the keys k - w + 1 .. k
  std::vector<Variable> rows;
  for (int64_t t = 0; t < T; ++t) {
    Variable chunks = softmax(masked_fill(for_each_start(slice(scores, -2, t, t + 1)), outside, -INFINITY), -1);
    rows.push_back(matmul(slice(alpha, -2, t, t + 1), chunks));
  }
  return T == 1 ? rows[0] : concat(rows, -2);
}

}  // namespace heed::nn
