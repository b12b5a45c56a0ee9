// Softmax over the queries, the normaliser of slot attention ("Object-centric learning with slot attention", algorithm
// 1). The columns of A sum to 1, and so do the rows of w. Both steps work on logarithms, so a query that wins no key
// still reads the mean over the keys that it lost least; the paper adds 1e-8 to A instead. These are the last two of
// three steps of Sinkhorn (sinkhorn.h), with the same limits: all queries are needed together.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/sinkhorn.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct SlotNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B11", "slots", "slot attention", "inverted attention"},
      .formula = "A = softmax of e over the queries, w_ts = A_ts / sum_s' A_ts'",
      .paper = {"Locatello et al., NeurIPS 2020", 2020, 4},
      .idea =
          "The queries compete for each key, whereas in ordinary attention the keys compete for each query. Afterwards "
          "each query averages over the keys with the weights that it has received. So several slots divide a picture "
          "or a sentence among themselves.",
      .wrong =
          "The softmax runs over the queries and the division over the keys. In the other order it is another method.",
      .shapes = "e [.., T, S] -> w [.., T, S]",
      .cost = "2 T S exponentials",
      .own = {"queries_compete_for_keys", "is_sinkhorn_without_its_first_rows", "sliced_rows_are_refused"},
      .exempt = {{"causal_under_causal_scope", "later queries change the weights of earlier ones"},
                 {"step_by_step_is_parallel", "a query alone gets other weights than among the others"}},
  };

  using Options = NormaliserOptions;
  SlotNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override { return softmax(log_shares(scores), -1); }
  bool row_wise() const override { return false; }
  static Variable log_shares(const Variable& scores) { return minus_log_sums(scores, -2); }  // log A
};

}  // namespace heed::nn
