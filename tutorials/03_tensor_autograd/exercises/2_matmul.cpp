#include "tutorials/03_tensor_autograd/exercises/2_matmul.h"

namespace mine {

using namespace heed;

Gradients matmul_gradients(const Tensor& a, const Tensor& b, [[maybe_unused]] const Tensor& dc) {
  Gradients g{Tensor::zeros(a.shape(), a.dtype()), Tensor::zeros(b.shape(), b.dtype())};
  // ---- the gap: g.da = ...; g.db = ...; with matmul(x, y), x.transpose(-1, -2) and sum(x, {axis}) ----

  // ---- end of the gap ----
  return g;
}

}  // namespace mine
