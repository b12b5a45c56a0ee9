// Sinkhorn attention ("Sinkformers"; of blocks: Tay et al.): rows and columns of the weights are divided by their sums
// in turn, n steps, the rows first and last.
//
//   L = e,   step 1, 3, 5, ..:  L_ts <- L_ts - log sum_s' exp(L_ts')       rows
//            step 2, 4, ..:     L_ts <- L_ts - log sum_t' exp(L_t's)       columns
//   w = exp(L)
//
// One step is the softmax. An even n gets one more step, so that rows come last. As in the authors' program, the
// weights are S times a coupling whose rows and columns all have the sum 1 / S. (It stops the gradient at the factors
// of the columns; here nothing is stopped.)
//
// If there are as many queries as keys, w converges to a matrix whose rows and columns all sum to 1. For other T and S
// no such matrix exists; then the rows sum to 1 and the columns to T / S. The same steps lead there, since dividing the
// rows removes any factor that all columns share. The rows come last, so their sums are exact after any n. Masked pairs
// have the weight 0, and so have rows and columns that are masked altogether. Some masks allow no matrix with such
// sums; then the columns are as near to them as n steps bring them.
//
// For n > 1 a query alone gets uniform weights over the keys that it may see. Sinkhorn attention is then for encoders,
// and for cross-attention of whole sequences. A decoder that goes step by step would compute something else than in
// training, and later queries would change earlier weights, so the pipeline refuses a causal scope. All steps work on
// logarithms, so weights that are small at first do not underflow.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

// L minus the logarithm of its sums along an axis; where there is nothing to sum, -inf stays.
Variable minus_log_sums(const Variable& logarithms, int64_t axis);

struct SinkhornNormaliser final : Normaliser {
  struct Settings {
    int64_t iterations = 5;
    void fields(OptionFields& f) {
      f("iterations", iterations, "n, steps of rows and columns in turn; 1 is softmax", {1, 10000});
    }
  };
  static constexpr About about{
      .names = {"B10", "sinkhorn", "Sinkformer", "doubly stochastic attention"},
      .formula = "rows, columns, rows, .. of exp(e) divided by their sums, n steps in all; n = 1 is softmax",
      .paper = {"Sander et al., AISTATS 2022; Tay et al., ICML 2020", 2022, 2},
      .idea =
          "Rows and columns are divided by their sums in turn, a few times, so that every row sums to one and all "
          "columns have nearly equal sums. So no key can get all the attention, and no key is left unread. It suits "
          "tasks in which each query has a key of its own, such as sorting.",
      .wrong =
          "The rows depend on each other, so the matrix cannot be computed for a few queries at a time. A causal mask "
          "is not enough to hide later queries, because their scores change the sums of the columns.",
      .shapes = "e [.., T, S] -> w [.., T, S]",
      .cost = "n T S exponentials, all kept for the backward pass",
      .own = {"columns_sum_alike", "one_step_is_softmax", "small_weights_are_not_lost", "sliced_rows_are_refused"},
      .exempt = {{"causal_under_causal_scope", "later queries change the sums of the columns"},
                 {"step_by_step_is_parallel", "a query alone has columns of one entry: its weights are uniform"}},
      .tried = "sinkhorn:iterations=3",
  };

  using Options = NormaliserOptions;
  SinkhornNormaliser(const Options& options, Generator&) : iterations(options.settings.as<Settings>().iterations) {}
  Variable weights(const Variable& scores, StageContext&) const override;
  bool row_wise() const override { return false; }
  int64_t iterations;  // n
};

}  // namespace heed::nn
