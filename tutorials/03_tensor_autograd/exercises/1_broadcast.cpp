#include "tutorials/03_tensor_autograd/exercises/1_broadcast.h"

namespace mine {

using namespace heed;

Tensor undo_broadcast(const Tensor& dy, [[maybe_unused]] const Shape& shape) {
  // ---- the gap: add over every axis that was repeated ----
  return dy;
  // ---- end of the gap ----
}

}  // namespace mine
