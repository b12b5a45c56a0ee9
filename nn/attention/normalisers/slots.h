// Softmax over the queries, the normaliser of slot attention (Locatello et al., "Object-centric learning with slot
// attention", NeurIPS 2020, algorithm 1): the queries (slots) compete for each key.
//
//   A_ts = exp(e_ts) / sum_t' exp(e_t's)        over the queries: each key is shared out, columns sum to 1
//   w_ts = A_ts / sum_s' A_ts'                  then over the keys: each query reads a mean, rows sum to 1
//
// The order matters: with the rows first, the queries would not compete. Both steps work on logarithms, so a query that
// wins no key still reads the mean over the keys that it lost least; the paper adds 1e-8 to A instead. It is one
// iteration of Sinkhorn (sinkhorn.h), and has the same limits: all queries are needed together.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/sinkhorn.h"

namespace heed::nn {

struct SlotNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SlotNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override { return softmax(log_shares(scores), -1); }
  bool row_wise() const override { return false; }
  static Variable log_shares(const Variable& scores) { return minus_log_sums(scores, -2); }  // log A
};

}  // namespace heed::nn
