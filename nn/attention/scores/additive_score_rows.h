// The score of additive_score.h for one sentence, as the operations use it: q [T, A], keys [S, A], v [A], e [T, S].
#pragma once

#include <algorithm>

#include "tensor/kernels/machine.h"
#include "tensor/kernels/vec_math.h"

namespace heed::nn {

template <class F>
void additive_scores(int64_t T, int64_t S, int64_t A, const F* q, const F* keys, const F* v, F* e) {
  constexpr int64_t L = kLanes<F>;
  vectorised([&]<int R>() {
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < S; ++s) {
        const F *pq = q + t * A, *pk = keys + s * A;
        Lanes<F, R> total = {};
        int64_t a = 0;
        for (; a + L <= A; a += L) total += load<R>(v + a) * tanh(load<R>(pq + a) + load<R>(pk + a));
        if (int64_t m = A - a; m > 0)
          total += load_first<R>(v + a, m) * tanh(load_first<R>(pq + a, m) + load_first<R>(pk + a, m));
        e[t * S + s] = add_lanes(total);
      }
  });
}

template <class F>
struct AdditiveScoreGrads {
  F *q, *keys, *v;  // q [T, A] is overwritten; keys [S, A] and v [A] accumulate
};

// The loop handles one SIMD vector of hidden units a at a time, so that the sums over s and t stay in registers. A
// score whose gradient is 0 (its key is masked) is skipped.
template <class F>
void additive_scores_backward(int64_t T, int64_t S, int64_t A, const F* q, const F* keys, const F* v, const F* de,
                              const AdditiveScoreGrads<F>& into) {
  vectorised([&]<int R>() {
    for (int64_t a = 0; a < A; a += kLanes<F>) {
      int64_t m = std::min(kLanes<F>, A - a);
      Lanes<F, R> pv = take<R>(v + a, m), one = 1, sum_v = take<R>(into.v + a, m);
      for (int64_t t = 0; t < T; ++t) {
        const F* up = de + t * S;
        Lanes<F, R> pq = take<R>(q + t * A + a, m), sum_q = {};
        for (int64_t s = 0; s < S; ++s) {
          if (up[s] == 0) continue;
          F* dk = into.keys + s * A + a;
          Lanes<F, R> h = tanh(pq + take<R>(keys + s * A + a, m));
          Lanes<F, R> g = up[s] * pv * (one - h * h);
          sum_q += g;
          sum_v += up[s] * h;
          put(dk, take<R>(dk, m) + g, m);
        }
        put(into.q + t * A + a, sum_q, m);
      }
      put(into.v + a, sum_v, m);
    }
  });
}

}  // namespace heed::nn
