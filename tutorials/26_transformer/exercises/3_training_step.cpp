#include "tutorials/26_transformer/exercises/3_training_step.h"

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"

namespace mine {

using namespace heed;

// With the gaps open, the batch is one <pad>, the loss is that of nothing, and no step is taken.
Batch make_batch([[maybe_unused]] const Sentences& sources, [[maybe_unused]] const Sentences& targets) {
  // ---- the gap, first part: about 20 lines ----
  // 1. S is the length of the longest source; T that of the longest target plus 1, for <s> or </s>.
  // 2. For each sentence: its source with its mask, <s> and the target, the target and </s>; fill all up with padding.
  // 3. allowed: row i has ones up to column i.
  Tensor none = Tensor::from(std::vector<int64_t>{kPad}, {1, 1}), one = Tensor::from_bools({1}, {1, 1});
  return {none, one, none, none, one};
  // ---- end of the first part ----
}

Variable smoothed_loss(const Variable& logits, [[maybe_unused]] const Tensor& output,
                       [[maybe_unused]] double smoothing) {
  // ---- the gap, second part: about 8 lines ----
  // log p of all words; of the right word (gather), and the mean over all words. Mix them, and average over the
  // positions that are not <pad>. (cross_entropy can do this, too; here you write it yourself.)
  return sum(logits) * 0.0;
  // ---- end of the second part ----
}

double rate([[maybe_unused]] int64_t step, [[maybe_unused]] const Settings& settings) {
  // ---- the gap, third part: about 2 lines ----
  return 0;
  // ---- end of the third part ----
}

double train_step([[maybe_unused]] const Model& model, [[maybe_unused]] nn::Adam& adam,
                  [[maybe_unused]] const Sentences& sources, [[maybe_unused]] const Sentences& targets,
                  [[maybe_unused]] const Settings& settings) {
  // ---- the gap, fourth part: about 7 lines ----
  // Batch, loss, gradients from zero, the rate of this step, the step.
  return 0;
  // ---- end of the gap ----
}

}  // namespace mine
