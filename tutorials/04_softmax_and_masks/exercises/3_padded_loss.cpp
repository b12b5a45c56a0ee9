#include "tutorials/04_softmax_and_masks/exercises/3_padded_loss.h"

#include <algorithm>

namespace mine {

using namespace heed;

Variable padded_loss(const Variable& logits, const Tensor& targets, int64_t pad) {
  Shape each = targets.shape();                        // [B, T]
  Tensor index = targets.view({each[0], each[1], 1});  // [B, T, 1]
  Variable losses = -reshape(gather(log_softmax(logits), index), each);
  // ---- the gap: the mean over all positions, padding included ----
  // | return mean(losses);
  // ---- filled: the mean over the words ----
  Tensor padding = equal(targets, static_cast<double>(pad));
  double words = static_cast<double>(targets.count()) - sum(padding.to(DType::f64)).item();
  return sum(masked_fill(losses, padding, 0)) / std::max(words, 1.0);
  // ---- end of the gap ----
}

}  // namespace mine
