#include "tutorials/03_tensor_autograd/exercises/1_broadcast.h"

namespace mine {

using namespace heed;

Tensor undo_broadcast(const Tensor& dy, const Shape& shape) {
  // ---- the gap: add over every axis that was repeated ----
  // | return dy;
  // ---- filled ----
  Dims repeated;
  const int missing = dy.rank() - shape.rank();
  for (int j = 0; j < dy.rank(); ++j)
    if (j < missing || (shape[j - missing] == 1 && dy.size(j) != 1)) repeated.push_back(j);
  if (repeated.rank() == 0) return dy;  // no axes would mean all of them
  return sum(dy, repeated, /*keep=*/true).reshape(shape);
  // ---- end of the gap ----
}

}  // namespace mine
