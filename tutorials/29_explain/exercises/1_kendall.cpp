#include "tutorials/29_explain/exercises/1_kendall.h"

#include <cmath>
#include <cstddef>

namespace mine {

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  // ---- the gap: about 12 lines, two loops over the pairs ----
  (void)a, (void)b;
  return 0;
  // ---- end of the gap ----
}

}  // namespace mine
