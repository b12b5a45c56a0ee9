#include "tutorials/20_memory/exercises/1_hop.h"

#include <cmath>

#include "tensor/elementwise.h"

namespace mine {

using namespace heed;

Variable hop(const Variable& u, [[maybe_unused]] const Variable& m, [[maybe_unused]] const Variable& c,
             [[maybe_unused]] const Tensor& there) {
  // ---- the gap: scores, mask, softmax, read, add ----
  return u;
  // ---- end of the gap ----
}

}  // namespace mine
