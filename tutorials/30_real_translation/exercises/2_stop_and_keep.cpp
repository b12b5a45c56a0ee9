#include "tutorials/30_real_translation/exercises/2_stop_and_keep.h"

#include <algorithm>

namespace mine {

// The gap runs to the end and keeps the last epoch.
End train(const std::vector<double>& losses, const std::vector<double>& parameters, [[maybe_unused]] int64_t patience,
          [[maybe_unused]] int64_t average) {
  End end{std::ssize(losses), std::ssize(losses), parameters.back()};
  // ---- the gap: find the best epoch, stop in time, then average the parameters ----
  // ---- end of the gap ----
  return end;
}

}  // namespace mine
