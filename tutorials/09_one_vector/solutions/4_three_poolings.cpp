#include "tutorials/09_one_vector/exercises/4_three_poolings.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mine {

using namespace heed;

Tensor three_poolings(const Tensor& x, const Tensor& words, const Tensor& q) {
  const int64_t B = x.size(0), D = x.size(2);
  Tensor y = Tensor::zeros({B, 3 * D}, x.dtype());
  // ---- the gap, filled ----
  for (int64_t b = 0; b < B; ++b) {
    std::vector<int64_t> places;
    for (int64_t s = 0; s < x.size(1); ++s)
      if (words.at({b, s}) != 0) places.push_back(s);
    if (places.empty()) continue;
    std::vector<double> weights;  // of the words, first as scores
    for (int64_t s : places) {
      double score = 0;
      for (int64_t d = 0; d < D; ++d) score += q.at({d}) * x.at({b, s, d});
      weights.push_back(score);
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    double total = 0;
    for (double& w : weights) {
      w = std::exp(w - largest);
      total += w;
    }
    for (int64_t d = 0; d < D; ++d) {
      double sum = 0, maximum = -INFINITY, attention = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double value = x.at({b, places[i], d});
        sum += value;
        maximum = std::max(maximum, value);
        attention += weights[i] / total * value;
      }
      y.set({b, d}, sum / static_cast<double>(places.size()));
      y.set({b, D + d}, maximum);
      y.set({b, 2 * D + d}, attention);
    }
  }
  // ---- end of the gap ----
  return y;
}

}  // namespace mine
