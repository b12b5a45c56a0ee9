// Exercise 23.2: which row of Shaw's table?
//
//   row(t, s) = clip(s - t, -D, D) + D,      t: place of the query, s: of the key, 2 D + 1 rows
//
// The checks ask for rows near and far, on both sides.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "tutorials/common/exercise.h"

namespace {

int64_t row(int64_t t, int64_t s, int64_t D) {
  // ---- the gap, filled ----
  return std::clamp(s - t, -D, D) + D;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("23", 2, "Which row of Shaw's table?");
  e.hint("Two words before and two words behind must have rows of their own.");
  e.hint("Clip first, add D then.");
  return e.run(argc, argv, [&] {
    for (int64_t D : {2, 8})
      for (int64_t s : {0, 18, 19, 20, 21, 22, 47}) {
        int64_t wanted = s - 20 < -D ? 0 : s - 20 > D ? 2 * D : s - 20 + D;
        e.check(fmt::format("row of key {} for query 20, D = {}", s, D), static_cast<double>(row(20, s, D)),
                static_cast<double>(wanted), 0.1);
      }
  });
}
