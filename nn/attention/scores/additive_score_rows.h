// The score of additive_score.h for one sentence, as the operations use it: q [T, A], keys [S, A], v [A], e [T, S].
#pragma once

#include <algorithm>

#include "tensor/kernels/vec_math.h"

namespace heed::nn {

template <class F>
void additive_scores(int64_t T, int64_t S, int64_t A, const F* q, const F* keys, const F* v, F* e) {
  constexpr int64_t L = kLanes<F>;
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) {
      const F *pq = q + t * A, *pk = keys + s * A;
      Lanes<F> total = {};
      int64_t a = 0;
      for (; a + L <= A; a += L) total += load(v + a) * tanh(load(pq + a) + load(pk + a));
      if (int64_t m = A - a; m > 0) total += load_first(v + a, m) * tanh(load_first(pq + a, m) + load_first(pk + a, m));
      e[t * S + s] = add_lanes(total);
    }
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
  for (int64_t a = 0; a < A; a += kLanes<F>) {
    int64_t m = std::min(kLanes<F>, A - a);
    Lanes<F> pv = take(v + a, m), one = 1, sum_v = take(into.v + a, m);
    for (int64_t t = 0; t < T; ++t) {
      const F* up = de + t * S;
      Lanes<F> pq = take(q + t * A + a, m), sum_q = {};
      for (int64_t s = 0; s < S; ++s) {
        if (up[s] == 0) continue;
        F* dk = into.keys + s * A + a;
        Lanes<F> h = tanh(pq + take(keys + s * A + a, m));
        Lanes<F> g = up[s] * pv * (one - h * h);
        sum_q += g;
        sum_v += up[s] * h;
        put<F>(dk, take(dk, m) + g, m);
      }
      put<F>(into.q + t * A + a, sum_q, m);
    }
    put<F>(into.v + a, sum_v, m);
  }
}

}  // namespace heed::nn
