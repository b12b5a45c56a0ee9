#include "tutorials/09_one_vector/exercises/4_three_poolings.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mine {

using namespace heed;

Tensor three_poolings(const Tensor& x, const Tensor& words, const Tensor& q) {
  const int64_t B = x.size(0), D = x.size(2);
  Tensor y = Tensor::zeros({B, 3 * D}, x.dtype());
  // ---- the gap, about 30 lines: for each sentence b ----
  // | // 1. The positions of its words. If there are none, its row of y stays 0.
  // | // 2. The score of each word, q . x_s, and the softmax: subtract the largest score, exp, divide by the sum.
  // | // 3. For each feature d, in one loop over the words: the mean, the maximum, and the sum with the weights.
  // | // 4. Write them to y: the mean at d, the maximum at D + d, attention at 2 D + d.
  // ---- filled ----
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
