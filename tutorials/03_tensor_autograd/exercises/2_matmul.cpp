#include "tutorials/03_tensor_autograd/exercises/2_matmul.h"

namespace mine {

using namespace heed;

Gradients matmul_gradients(const Tensor& a, const Tensor& b, const Tensor& dc) {
  Gradients g{Tensor::zeros(a.shape(), a.dtype()), Tensor::zeros(b.shape(), b.dtype())};
  // ---- the gap: g.da = ...; g.db = ...; with matmul(x, y), x.transpose(-1, -2) and sum(x, {axis}) ----
  // |
  // ---- filled ----
  g.da = matmul(dc, b.transpose(-1, -2));      // [.., M, N] [N, K] -> [.., M, K]
  g.db = matmul(a.transpose(-1, -2), dc);      // [.., K, M] [.., M, N] -> [.., K, N]
  if (g.db.rank() > 2) g.db = sum(g.db, {0});  // B was used once for each element of the batch
  // ---- end of the gap ----
  return g;
}

}  // namespace mine
