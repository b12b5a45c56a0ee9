#include "tutorials/05_network/exercises/2_loop.h"

#include <algorithm>

namespace mine {

using namespace heed;

double learn([[maybe_unused]] const Model& model, [[maybe_unused]] nn::SGD& sgd, [[maybe_unused]] const Points& data,
             [[maybe_unused]] int64_t epochs, [[maybe_unused]] int64_t batch) {
  // ---- the gap: two loops, and five lines in them ----
  return 0;
  // ---- end of the gap ----
}

}  // namespace mine
