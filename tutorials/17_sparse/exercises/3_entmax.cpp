#include "tutorials/17_sparse/exercises/3_entmax.h"

#include <algorithm>
#include <cmath>

namespace mine {

Entmax entmax(const std::vector<double>& e, [[maybe_unused]] double alpha,
              [[maybe_unused]] const std::vector<double>& dw) {
  const std::size_t S = e.size();
  Entmax result{std::vector<double>(S, 0), std::vector<double>(S, 0)};
  // ---- the gap, about 25 lines ----
  // 1. u_s = (alpha - 1) e_s, and the largest u. If it is -inf, return the zeros.
  // 2. Bisection, 60 steps, with low = largest - 1 and high = largest: compute the sum of the weights for the tau in
  //    the middle. If it is at least 1, tau is too small and low moves to the middle; otherwise high does.
  // 3. The weights with the final tau.
  // 4. The gradient, over the keys whose weight is above 0.
  // ---- end of the gap ----
  return result;
}

}  // namespace mine
