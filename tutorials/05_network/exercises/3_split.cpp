#include "tutorials/05_network/exercises/3_split.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace mine {

using namespace heed;

Split split(const std::vector<int64_t>& group, double valid, double test, [[maybe_unused]] Generator& rng) {
  Split s;
  // ---- the gap: this code tears groups apart, and does not shuffle ----
  double count = static_cast<double>(group.size());
  for (int64_t i = 0; i < std::ssize(group); ++i) {
    double place = static_cast<double>(i) / count;
    (place < test ? s.test : place < test + valid ? s.valid : s.train).push_back(i);
  }
  // ---- end of the gap ----
  return s;
}

}  // namespace mine
