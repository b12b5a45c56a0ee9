#include "nn/attention/positions/forgetting.h"

#include "autograd/ops.h"
#include "nn/attention/segment_sums.h"

namespace heed::nn {

ForgettingPosition::ForgettingPosition(const HeadPositionOptions& o, Generator& rng)
    : forget({.in = o.heads * o.query, .out = o.heads}, rng) {
  require_heads("ForgettingPosition", o.heads);
}

Variable ForgettingPosition::marks_of(const Variable& x) const {
  return -softplus(-forget(x));  // [B, S, H]: log sigmoid(z) = -softplus(-z)
}

Variable ForgettingPosition::bias_of_marks(const Variable& marks, int64_t T, bool causal) const {
  Call call(*this);
  Variable log_f = squeeze(marks, -1);         // [B, H, S]
  Variable kept = segment_sums(log_f, -1, T);  // [B, H, T, S]; 0 for later s
  if (!causal) {                               // later words are among the queries: the sums from s down to t
    const int64_t S = log_f.size(2), before = S - T;
    Variable later = transpose(slice(kept, -1, before, S), -2, -1);  // [B, H, T, T]
    kept = kept + pad(later, {{.axis = 3, .before = before}});
  }
  return call.result("bias", kept);
}

}  // namespace heed::nn
