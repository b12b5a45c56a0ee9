#include "nn/attention/scores/additive_score.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/attention/scores/additive_score_rows.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

namespace heed::nn {
namespace {

void check(const Variable& q, const Variable& keys, const Variable& v) {
  bool fits = q.rank() == 3 && keys.rank() == 3 && v.rank() == 1 && q.size(0) == keys.size(0) &&
              q.size(2) == v.size(0) && keys.size(2) == v.size(0);
  if (!fits)
    throw ShapeError(fmt::format("additive_score: needs q [B, T, A], keys [B, S, A] and v [A]; got {}, {} and {}",
                                 to_string(q.shape()), to_string(keys.shape()), to_string(v.shape())));
  require_same_dtype("additive_score", q.value(), keys.value());
  require_same_dtype("additive_score", q.value(), v.value());
}

int64_t grain(int64_t T, int64_t S, int64_t A) {  // minimum number of sentences per thread
  return std::max<int64_t>(1, 8192 / std::max<int64_t>(T * S * A, 1));
}

// The scores of all sentences. The inputs must be contiguous, here and below.
Tensor scores_of(const Tensor& q, const Tensor& keys, const Tensor& v) {
  int64_t B = q.size(0), T = q.size(1), A = q.size(2), S = keys.size(1);
  Kernel kernel("additive_score", B * T * S * A);
  Tensor e = Tensor::empty({B, T, S}, q.dtype());
  dispatch_float(q.dtype(), "additive_score", [&](auto zero) {
    using F = decltype(zero);
    parallel_for(0, B, grain(T, S, A), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        additive_scores<F>(T, S, A, q.data<F>() + b * T * A, keys.data<F>() + b * S * A, v.data<F>(),
                           e.data<F>() + b * T * S);
    });
  });
  return e;
}

struct Gradients {
  Tensor q, keys, v;  // v: [B, A], one row per sentence, so that the sum over them is the same for any threads
};
Gradients gradients_of(const Tensor& q, const Tensor& keys, const Tensor& v, const Tensor& de) {
  int64_t B = q.size(0), T = q.size(1), A = q.size(2), S = keys.size(1);
  Kernel kernel("additive_score_backward", B * T * S * A);
  Gradients d{Tensor::empty(q.shape(), q.dtype()), Tensor::zeros(keys.shape(), q.dtype()),
              Tensor::zeros({B, A}, q.dtype())};
  dispatch_float(q.dtype(), "additive_score", [&](auto zero) {
    using F = decltype(zero);
    parallel_for(0, B, grain(T, S, A), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        additive_scores_backward<F>(T, S, A, q.data<F>() + b * T * A, keys.data<F>() + b * S * A, v.data<F>(),
                                    de.data<F>() + b * T * S,
                                    {d.q.data<F>() + b * T * A, d.keys.data<F>() + b * S * A, d.v.data<F>() + b * A});
    });
  });
  return d;
}

}  // namespace

Variable additive_score_composed(const Variable& q, const Variable& keys, const Variable& v) {
  check(q, keys, v);
  return matmul(tanh(unsqueeze(q, 2) + unsqueeze(keys, 1)), v);  // [B, T, S, A] times [A]
}

Variable additive_score(const Variable& q, const Variable& keys, const Variable& v) {
  check(q, keys, v);
  Tensor e = scores_of(q.value().contiguous(), keys.value().contiguous(), v.value().contiguous());
  auto fast = [sq = save(q), sk = save(keys), sv = save(v)](Grads& grads, const Variable& de) {
    Gradients d = gradients_of(grads[sq].value().contiguous(), grads[sk].value().contiguous(),
                               grads[sv].value().contiguous(), de.value().contiguous());
    grads.add(0, d.q);
    grads.add(1, d.keys);
    grads.add(2, sum(d.v, {0}));
  };
  return attach_fused("additive_score", {q, keys, v}, e, fast,
                      [sq = save(q), sk = save(keys), sv = save(v)](Grads& grads) {
                        return additive_score_composed(grads[sq], grads[sk], grads[sv]);
                      });
}

}  // namespace heed::nn
