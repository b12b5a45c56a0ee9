#include "tutorials/22_self_attention/exercises/3_attention.h"

#include <cmath>

namespace mine {

using namespace heed;

Head one_head(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v, const Tensor& allowed) {
  const int64_t T = x.size(0), N = W_v.size(1);
  Head head{Tensor::zeros({T, T}, x.dtype()), Tensor::zeros({T, N}, x.dtype())};
  // ---- the gap, filled ----
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
  // ---- the gap, filled ----
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
