#include "tutorials/29_explain/exercises/3_adversary.h"

#include <cmath>
#include <cstddef>

namespace mine {

std::vector<double> adversary(const std::vector<double>& w, const std::vector<double>& z) {
  // ---- the gap: about 25 lines; functions for H and JSD may stand above this one ----
  (void)z;
  return w;
  // ---- end of the gap ----
}

}  // namespace mine
