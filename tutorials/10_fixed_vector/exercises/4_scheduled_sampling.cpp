#include "tutorials/10_fixed_vector/exercises/4_scheduled_sampling.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/text/vocabulary.h"
#include "tensor/reduce.h"

namespace mine {

using namespace heed;

double share(int64_t step, double k) {
  // ---- the gap, first half: 1 line ----
  // | return 1;
  // ---- filled ----
  return k / (k + std::exp(static_cast<double>(step) / k));
  // ---- end of the first half ----
}

// | // The gap is teacher forcing, whatever `truth` is.
Variable scheduled_loss(const nn::Cho& model, const data::Batch& batch, double truth, Generator& rng) {
  // ---- the gap, second half: about 20 lines ----
  // | // model.encode gives the source and s_0, as in exercise 10.2. For each step t:
  // | //   1. The symbols to read, one per row: <s> at first; later a draw decides between target_in and your
  // | //      prediction.
  // | //   2. Embed them, take a step of the decoder, keep its state, compute the logits [B, V].
  // | //   3. Remember the most probable symbol of each row for the next step.
  // | //   4. Add up log p of the symbols target_out[:, t] that are not text::Vocabulary::pad, and count them.
  // | // Divide at the end.
  // | Variable logits = model(batch.source, batch.lengths, batch.target_in);
  // | return cross_entropy(logits, batch.target_out, {.ignore_index = text::Vocabulary::pad});
  // ---- filled ----
  const int64_t B = batch.target_in.size(0), T = batch.target_in.size(1);
  auto [c, state] = model.encode(batch.source, batch.lengths);
  Tensor own;      // [B], what the decoder predicted in the step before
  Variable total;  // of log p
  double symbols = 0;
  for (int64_t t = 0; t < T; ++t) {
    std::vector<int64_t> read;
    for (int64_t b = 0; b < B; ++b) {
      const bool is_true = t == 0 || rng.uniform() < truth;
      read.push_back(static_cast<int64_t>(is_true ? batch.target_in.at({b, t}) : own.at({b})));
    }
    nn::Step step = model.step(model.embed(Tensor::from(read, {B})), state, c);
    state = step.state;
    Variable log_p = log_softmax(model.logits(step.features), -1);  // [B, V]
    own = argmax(log_p.value(), 1);
    for (int64_t b = 0; b < B; ++b) {
      const auto wanted = static_cast<int64_t>(batch.target_out.at({b, t}));
      if (wanted == text::Vocabulary::pad) continue;
      Variable term = select(select(log_p, 0, b), 0, wanted);
      total = total.defined() ? total + term : term;
      symbols += 1;
    }
  }
  return -total / symbols;
  // ---- end of the gap ----
}

}  // namespace mine
