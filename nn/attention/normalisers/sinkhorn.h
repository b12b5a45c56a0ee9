// Sinkhorn attention (Sander, Ablin, Blondel and Peyre, "Sinkformers", AISTATS 2022; of blocks: Tay et al., ICML 2020):
// rows and columns of the weights are divided by their sums in turn, so that no key takes all of the attention.
//
//   L = e,   n times:  L_ts <- L_ts - log sum_t' exp(L_t's)       columns
//                      L_ts <- L_ts - log sum_s' exp(L_ts')       rows
//   w = exp(L)
//
// If there are as many queries as keys, w converges to a matrix whose rows and columns all sum to 1. For other T and S
// no such matrix exists; then the rows sum to 1 and the columns to T / S. The same steps lead there, since dividing the
// rows removes any factor that all columns share. The rows come last, so their sums are exact after any n. Masked pairs
// have the weight 0, and so have rows and columns that are masked altogether. Some masks allow no matrix with such
// sums; then the columns are as near to them as n iterations bring them.
//
// The weights of a query depend on all other queries. A query alone gets uniform weights over the keys that it may see.
// Sinkhorn attention is therefore for encoders, and for cross-attention of whole sequences. A decoder that goes step by
// step would compute something else than in training, and later queries would change earlier weights, so the pipeline
// refuses a causal scope. All steps work on logarithms, so weights that are small at first do not underflow. Cost:
// 2 n T S exponentials, all of them kept for the backward pass.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

// L minus the logarithm of its sums along an axis; where there is nothing to sum, -inf stays.
Variable minus_log_sums(const Variable& logarithms, int64_t axis);

struct SinkhornNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SinkhornNormaliser(const Options& options, Generator&) : iterations(options.settings.whole("iterations")) {}
  Variable weights(const Variable& scores, StageContext&) const override;
  bool row_wise() const override { return false; }
  int64_t iterations;  // n
};

}  // namespace heed::nn
