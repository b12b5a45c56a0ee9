#include "tutorials/14_scores/exercises/1_root.h"

#include <cmath>

namespace mine {

using namespace heed;

Tensor scores(const Tensor& q, const Tensor& k) {
  auto d = static_cast<double>(q.size(2));
  // ---- the gap, filled: another divisor ----
  return div(matmul(q, k.transpose(1, 2)), std::sqrt(d));
  // ---- end of the gap ----
}

}  // namespace mine
