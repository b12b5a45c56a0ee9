#include "nn/attention/additive_score.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"
#include "tensor/vec_math.h"

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

int64_t grain(int64_t T, int64_t S, int64_t A) {  // sentences that are worth a thread
  return std::max<int64_t>(1, 8192 / std::max<int64_t>(T * S * A, 1));
}

}  // namespace

Tensor additive_score_rows(const Tensor& q, const Tensor& keys, const Tensor& v) {
  int64_t B = q.size(0), T = q.size(1), A = q.size(2), S = keys.size(1);
  Kernel kernel("additive_score", B * T * S * A);
  Tensor e = Tensor::empty({B, T, S}, q.dtype());
  dispatch_float(q.dtype(), "additive_score", [&](auto zero) {
    using F = decltype(zero);
    constexpr int64_t L = kLanes<F>;
    parallel_for(0, B, grain(T, S, A), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        for (int64_t t = 0; t < T; ++t)
          for (int64_t s = 0; s < S; ++s) {
            const F *pq = q.data<F>() + (b * T + t) * A, *pk = keys.data<F>() + (b * S + s) * A, *pv = v.data<F>();
            Vec<F> total = {};
            int64_t a = 0;
            for (; a + L <= A; a += L) total += load(pv + a) * vtanh<F>(load(pq + a) + load(pk + a));
            if (int64_t m = A - a; m > 0)
              total += load_first(pv + a, m) * vtanh<F>(load_first(pq + a, m) + load_first(pk + a, m));
            e.data<F>()[(b * T + t) * S + s] = add_lanes<F>(total);
          }
    });
  });
  return e;
}

// For a vector of a's the sums over s and t stay in registers. A score without a gradient (a key that is not allowed)
// costs nothing.
void additive_score_rows_backward(const Tensor& q, const Tensor& keys, const Tensor& v, const Tensor& de,
                                  AdditiveScoreGrads& into) {
  int64_t B = q.size(0), T = q.size(1), A = q.size(2), S = keys.size(1);
  Kernel kernel("additive_score_backward", B * T * S * A);
  dispatch_float(q.dtype(), "additive_score", [&](auto zero) {
    using F = decltype(zero);
    auto some = [](const F* p, int64_t m) { return m == kLanes<F> ? load(p) : load_first(p, m); };
    auto put = [](F* p, Vec<F> x, int64_t m) { m == kLanes<F> ? store(p, x) : store_first(p, x, m); };
    parallel_for(0, B, grain(T, S, A), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        for (int64_t a = 0; a < A; a += kLanes<F>) {
          int64_t m = std::min(kLanes<F>, A - a);
          Vec<F> pv = some(v.data<F>() + a, m), one = splat(F{1});
          F* dv = into.v.data<F>() + b * A + a;
          Vec<F> sum_v = some(dv, m);
          for (int64_t t = 0; t < T; ++t) {
            const F* up = de.data<F>() + (b * T + t) * S;
            Vec<F> pq = some(q.data<F>() + (b * T + t) * A + a, m), sum_q = {};
            for (int64_t s = 0; s < S; ++s) {
              if (up[s] == 0) continue;
              F* dk = into.keys.data<F>() + (b * S + s) * A + a;
              Vec<F> h = vtanh<F>(pq + some(keys.data<F>() + (b * S + s) * A + a, m));
              Vec<F> g = up[s] * pv * (one - h * h);
              sum_q += g;
              sum_v += up[s] * h;
              put(dk, some(dk, m) + g, m);
            }
            put(into.q.data<F>() + (b * T + t) * A + a, sum_q, m);
          }
          put(dv, sum_v, m);
        }
    });
  });
}

Variable additive_score_composed(const Variable& q, const Variable& keys, const Variable& v) {
  check(q, keys, v);
  return matmul(tanh(unsqueeze(q, 2) + unsqueeze(keys, 1)), v);  // [B, T, S, A] times [A]
}

Variable additive_score(const Variable& q, const Variable& keys, const Variable& v) {
  check(q, keys, v);
  Tensor e = additive_score_rows(q.value().contiguous(), keys.value().contiguous(), v.value().contiguous());
  auto fast = [sq = save(q), sk = save(keys), sv = save(v)](Grads& grads, const Variable& de) {
    Tensor pq = grads[sq].value().contiguous(), pk = grads[sk].value().contiguous();
    AdditiveScoreGrads d{Tensor::empty(pq.shape(), pq.dtype()), Tensor::zeros(pk.shape(), pq.dtype()),
                         Tensor::zeros({pq.size(0), pq.size(2)}, pq.dtype())};
    additive_score_rows_backward(pq, pk, grads[sv].value().contiguous(), de.value().contiguous(), d);
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
