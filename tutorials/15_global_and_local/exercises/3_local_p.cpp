#include "tutorials/15_global_and_local/exercises/3_local_p.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mine {

using namespace heed;

// | // The gap reads nothing: centre 0, weights 0.
Read local_p(const Tensor& q, const Tensor& h, const Tensor& W, const Tensor& v, int64_t n, int64_t D) {
  Read read{0, Tensor::zeros({h.size(0)}, h.dtype()), Tensor::zeros({q.size(0)}, h.dtype())};
  // ---- the gap, about 20 lines ----
  // | // 1. The centre p: matmul(W, q) is [N], matmul(v, ..).item() is a number.
  // | // 2. The window: its first position and the one after its last, from round(p) and D. All its positions are in
  // | //    0 .. n - 1.
  // | // 3. The scores of the positions of the window, and their softmax.
  // | // 4. Each weight is multiplied by its Gaussian. The distance s - p is not a whole number.
  // | // 5. The context: the sum of w_s times row s of h.
  // ---- filled ----
  // The centre.
  const double z = matmul(v, tanh(matmul(W, q))).item();
  read.centre = static_cast<double>(n) / (1 + std::exp(-z));
  // The window [first, end).
  const int64_t middle = std::lround(read.centre);
  const int64_t first = std::max<int64_t>(middle - D, 0);
  const int64_t end = std::min(middle + D + 1, n);
  // The softmax of its scores.
  const Tensor window = h.slice(0, first, end);           // [end - first, N]
  std::vector<double> u = matmul(window, q).to_vector();  // scores
  const double largest = *std::max_element(u.begin(), u.end());
  double total = 0;
  for (double& e : u) {
    e = std::exp(e - largest);
    total += e;
  }
  // The Gaussian and the context.
  const double sigma = static_cast<double>(D) / 2;
  for (int64_t s = first; s < end; ++s) {
    const double distance = static_cast<double>(s) - read.centre;
    const double factor = std::exp(-distance * distance / (2 * sigma * sigma));
    const double w = u[static_cast<std::size_t>(s - first)] / total * factor;
    read.weights.set({s}, w);
    add_into(read.context, h.select(0, s), w);
  }
  // ---- end of the gap ----
  return read;
}

}  // namespace mine
