// Sinkhorn attention (Sander, Ablin, Blondel and Peyre, "Sinkformers", AISTATS 2022; of blocks: Tay et al., ICML 2020):
// rows and columns of the weights are divided by their sums in turn, so that no key takes all of the attention.
//
//   L = e,   n times:  L_ts <- L_ts - log sum_t' exp(L_t's)       columns
//                      L_ts <- L_ts - log sum_s' exp(L_ts')       rows
//   w = exp(L)
//
// With as many queries as keys w converges to a matrix whose rows and columns all sum to 1. With T queries and S keys
// no such matrix exists: the rows sum to 1, and the columns to T / S. (A factor that all columns share is undone by the
// rows, so the same steps do both.) Rows come last: they are exact after any n. Masked pairs stay 0, and so do a row
// and a column of nothing but them. Where the caller's mask leaves no matrix with such sums, the columns
// only come as near as n iterations bring them.
//
// A row needs all other rows: of a single query all columns are equal, and its weights uniform over the keys that it
// may see. So it is for encoders and for cross-attention of whole sequences: a decoder that goes step by step computes
// something else than in training, and later queries change earlier weights, so the pipeline refuses a causal scope.
// The steps are in the domain of logarithms: no weight that is small at first is lost. Cost: 2 n T S exponentials, all
// of them kept for the backward pass.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SinkhornNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SinkhornNormaliser(const Options& options, Generator&) : iterations(options.settings.whole("iterations")) {}
  Variable weights(const Variable& scores, StageContext&) const override;
  bool row_wise() const override { return false; }
  int64_t iterations;  // n
};

}  // namespace heed::nn
