#include "nn/attention/normalisers/controls.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Variable EvenNormaliser::weights(const Variable& scores, StageContext&) const {
  Tensor absent = equal(scores.value(), -INFINITY);                  // [.., T, S]
  Tensor every = Tensor::full(scores.shape(), 1.0, DType::boolean);  // no product with 0: a score may be infinite
  return softmax(masked_fill(masked_fill(scores, every, 0), absent, -INFINITY), -1);
}

// Each gradient goes back to the score whose weight was moved.
Variable ShuffledNormaliser::weights(const Variable& scores, StageContext&) const {
  const int64_t keys = scores.size(-1), rows = keys == 0 ? 0 : scores.count() / keys;
  const std::vector<double> e = scores.value().to_vector();
  std::vector<int64_t> from(e.size());  // whose weight each key receives
  std::vector<int64_t> allowed, moved;
  for (int64_t row = 0; row < rows; ++row) {
    allowed.clear();
    for (int64_t s = 0; s < keys; ++s) {
      const auto i = static_cast<size_t>(row * keys + s);
      from[i] = s;
      if (e[i] != -INFINITY) allowed.push_back(s);
    }
    if (allowed.empty()) continue;
    moved = allowed;
    if (trains())
      rng.shuffle(moved);
    else
      std::rotate(moved.begin(), moved.end() - 1, moved.end());
    for (size_t k = 0; k < allowed.size(); ++k) from[static_cast<size_t>(row * keys + allowed[k])] = moved[k];
  }
  return gather(softmax(scores, -1), Tensor::from(from, scores.shape()));
}

}  // namespace heed::nn
