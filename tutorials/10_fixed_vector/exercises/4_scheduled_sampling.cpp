#include "tutorials/10_fixed_vector/exercises/4_scheduled_sampling.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/text/vocabulary.h"
#include "tensor/reduce.h"

namespace mine {

using namespace heed;

double share([[maybe_unused]] int64_t step, [[maybe_unused]] double k) {
  // ---- the gap, first half: 1 line ----
  return 1;
  // ---- end of the first half ----
}

// The gap is teacher forcing, whatever `truth` is.
Variable scheduled_loss(const nn::Seq2Seq& model, const data::Batch& batch, [[maybe_unused]] double truth,
                        [[maybe_unused]] Generator& rng) {
  // ---- the gap, second half: about 20 lines ----
  // model.encode gives memory and state, as in exercise 10.2. For each step t:
  //   1. The symbols to read, one per row: <s> at first; later a draw decides between target_in and your prediction.
  //   2. Embed them, take a step of the decoder, keep its state, compute the logits [B, V].
  //   3. Remember the most probable symbol of each row for the next step.
  //   4. Add up log p of the symbols target_out[:, t] that are not text::Vocabulary::pad, and count them.
  // Divide at the end.
  Variable logits = model(batch.source, batch.lengths, batch.target_in);
  return cross_entropy(logits, batch.target_out, {.ignore_index = text::Vocabulary::pad});
  // ---- end of the gap ----
}

}  // namespace mine
