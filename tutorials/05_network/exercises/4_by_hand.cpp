#include "tutorials/05_network/exercises/4_by_hand.h"

#include <cmath>

namespace mine {

using namespace heed;

double train_step(Network& net, const Tensor& x, const Tensor& y, double r) {
  double loss = 0;
  // ---- the gap, about 25 lines ----
  // | // 1. Forward: z, h = relu(z) and the logits. matmul(x, net.W.transpose(0, 1)) is x W^T.
  // | // 2. The softmax of each row: subtract the largest of the row, exp, divide by the sum of the row. Keep the
  // | //    reduced axis (the last argument of max and sum).
  // | // 3. The loss: the mean of -log p[i, y_i].
  // | // 4. Backward: dL/dlogits, [B, C]; from it dL/dV and dL/dc; then dL/dh and dL/dz; then dL/dW and dL/db.
  // | //    A gradient has the shape of what it belongs to.
  // | // 5. Update the four parameters.
  // ---- filled ----
  const int64_t B = x.size(0);
  // Forward.
  const Tensor z = add(matmul(x, net.W.transpose(0, 1)), net.b);       // [B, N]
  const Tensor h = relu(z);                                            // [B, N]
  const Tensor logits = add(matmul(h, net.V.transpose(0, 1)), net.c);  // [B, C]
  const Tensor e = exp(sub(logits, max(logits, 1, true)));
  const Tensor p = div(e, sum(e, {1}, true));
  // The loss, and its gradient with respect to the logits: (p - one_hot(y)) / B.
  Tensor by_logits = p.clone();
  for (int64_t i = 0; i < B; ++i) {
    const auto label = static_cast<int64_t>(y.at({i}));
    loss -= std::log(p.at({i, label})) / static_cast<double>(B);
    by_logits.set({i, label}, p.at({i, label}) - 1);
  }
  by_logits = div(by_logits, static_cast<double>(B));
  // Backward.
  const Tensor by_V = matmul(by_logits.transpose(0, 1), h);
  const Tensor by_c = sum(by_logits, {0});
  const Tensor by_h = matmul(by_logits, net.V);
  const Tensor by_z = masked_fill(by_h, less_equal(z, 0), 0);
  const Tensor by_W = matmul(by_z.transpose(0, 1), x);
  const Tensor by_b = sum(by_z, {0});
  // The step.
  net.W = sub(net.W, mul(by_W, r));
  net.b = sub(net.b, mul(by_b, r));
  net.V = sub(net.V, mul(by_V, r));
  net.c = sub(net.c, mul(by_c, r));
  // ---- end of the gap ----
  return loss;
}

}  // namespace mine
