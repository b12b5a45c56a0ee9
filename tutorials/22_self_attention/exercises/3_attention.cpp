#include "tutorials/22_self_attention/exercises/3_attention.h"

#include <cmath>

namespace mine {

using namespace heed;

Head one_head(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v, const Tensor& allowed) {
  const int64_t T = x.size(0), N = W_v.size(1);
  Head head{Tensor::zeros({T, T}, x.dtype()), Tensor::zeros({T, N}, x.dtype())};
  // ---- the gap, about 10 lines ----
  // | // 1. Queries, keys, values: [T, N] each.
  // | // 2. Scores [T, T]: row t belongs to the query of word t. Divide by the square root of N.
  // | // 3. The mask: -INFINITY where not allowed (masked_fill, logical_not).
  // | // 4. The softmax of each row: subtract the largest of the row, exp, divide by the sum of the row. Keep the
  // | //    reduced axis (the last argument of max and sum), so that the result broadcasts over the row.
  // | // 5. The context: each row is a weighted sum of values.
  // ---- filled ----
  const Tensor q = matmul(x, W_q);
  const Tensor k = matmul(x, W_k);
  const Tensor v = matmul(x, W_v);
  Tensor scores = matmul(q, k.transpose(0, 1));
  scores = div(scores, std::sqrt(static_cast<double>(N)));
  scores = masked_fill(scores, logical_not(allowed), -INFINITY);
  const Tensor e = exp(sub(scores, max(scores, 1, true)));
  head.weights = div(e, sum(e, {1}, true));
  head.context = matmul(head.weights, v);
  // ---- end of the gap ----
  return head;
}

Tensor several_heads(const Tensor& x, const Projections& w, int64_t H, const Tensor& allowed) {
  Tensor output = Tensor::zeros(x.shape(), x.dtype());
  // ---- the gap, about 15 lines ----
  // | // 1. Project x with w.q, w.k and w.v, [B, T, D] each, and split each into heads, [B, H, T, D/H] (exercise 1).
  // | // 2. Attend: as above, for all B H heads with the same few calls; a product, a transposition and a softmax of
  // | //    the last two axes. The mask is [B, T, T] and the scores are [B, H, T, T]: give it an axis for the heads.
  // | // 3. Merge: the heads of a word side by side again, [B, T, D]. This undoes the split step by step.
  // | // 4. Multiply by w.o.
  // ---- filled ----
  const int64_t B = x.size(0), T = x.size(1), D = x.size(2), N = D / H;
  auto split = [&](const Tensor& all) { return all.view({B, T, H, N}).transpose(1, 2); };
  const Tensor q = split(matmul(x, w.q));  // [B, H, T, N]
  const Tensor k = split(matmul(x, w.k));
  const Tensor v = split(matmul(x, w.v));
  Tensor scores = matmul(q, k.transpose(2, 3));  // [B, H, T, T]
  scores = div(scores, std::sqrt(static_cast<double>(N)));
  const Tensor blocked = logical_not(allowed).unsqueeze(1);  // [B, 1, T, T]
  scores = masked_fill(scores, blocked, -INFINITY);
  const Tensor e = exp(sub(scores, max(scores, 3, true)));
  const Tensor weights = div(e, sum(e, {3}, true));
  const Tensor context = matmul(weights, v);  // [B, H, T, N]
  const Tensor merged = context.transpose(1, 2).reshape({B, T, D});
  output = matmul(merged, w.o);
  // ---- end of the gap ----
  return output;
}

}  // namespace mine
