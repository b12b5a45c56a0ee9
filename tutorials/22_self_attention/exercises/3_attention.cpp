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

Variable several_heads(const Variable& x, const Variable& m, const Projections& w, int64_t H, const Tensor& allowed) {
  Variable output = x * 0.0;
  // ---- the gap, about 15 lines ----
  // | // 1. Project x with w.q, and m with w.k and w.v. Split each into heads, [B, H, T or S, D/H] (exercise 1): with
  // | //    variables view is called reshape, and is reshape(all, {..}); transpose(all, 1, 2) likewise.
  // | // 2. Attend: as above, for all B H heads with the same few calls; a product, a transposition and a softmax of
  // | //    the last axis: softmax(scores, -1). The mask is [B, T, S] and the scores are [B, H, T, S]: give the mask an
  // | //    axis for the heads.
  // | // 3. Merge: the heads of a word side by side again, [B, T, D]. This undoes the split step by step.
  // | // 4. Multiply by w.o.
  // ---- filled ----
  const int64_t B = x.size(0), T = x.size(1), S = m.size(1), D = x.size(2), N = D / H;
  auto split = [&](const Variable& all, int64_t words) { return transpose(reshape(all, {B, words, H, N}), 1, 2); };
  const Variable q = split(matmul(x, w.q), T);  // [B, H, T, N]
  const Variable k = split(matmul(m, w.k), S);  // [B, H, S, N]
  const Variable v = split(matmul(m, w.v), S);
  Variable scores = matmul(q, transpose(k, 2, 3));  // [B, H, T, S]
  scores = scores / std::sqrt(static_cast<double>(N));
  const Tensor blocked = logical_not(allowed).unsqueeze(1);  // [B, 1, T, S]
  scores = masked_fill(scores, blocked, -INFINITY);
  const Variable context = matmul(softmax(scores, -1), v);  // [B, H, T, N]
  const Variable merged = reshape(transpose(context, 1, 2), {B, T, D});
  output = matmul(merged, w.o);
  // ---- end of the gap ----
  return output;
}

}  // namespace mine
