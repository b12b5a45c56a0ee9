#include "tutorials/05_network/exercises/4_by_hand.h"

#include <cmath>

namespace mine {

using namespace heed;

double train_step([[maybe_unused]] Network& net, [[maybe_unused]] const Tensor& x, [[maybe_unused]] const Tensor& y,
                  [[maybe_unused]] double r) {
  double loss = 0;
  // ---- the gap, about 25 lines ----
  // 1. Forward: z, h = relu(z) and the logits. matmul(x, net.W.transpose(0, 1)) is x W^T.
  // 2. The softmax of each row: subtract the largest of the row, exp, divide by the sum of the row. Keep the reduced
  //    axis (the last argument of max and sum).
  // 3. The loss: the mean of -log p[i, y_i].
  // 4. Backward: the gradient by the logits, [B, C]; from it those by V and c; then by h and by z; then by W and b.
  //    A gradient has the shape of what it belongs to.
  // 5. Update the four parameters.
  // ---- end of the gap ----
  return loss;
}

}  // namespace mine
