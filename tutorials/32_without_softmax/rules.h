// Five ways to write a word into a matrix, each one change away from the last. The matrix S is all that is kept of the
// words so far; a query reads it as o = q S.
//
// clang-format off
//   sum          S =     S + k^T v                  linear attention
//   decay        S = g   S + k^T v                  RetNet: g is a constant below 1
//   gate         S = a_t S + k^T v                  GLA, Mamba-2: a_t depends on the word
//   delta rule   S = a_t S + b_t k^T (v - k a_t S)  (Gated) DeltaNet: what is missing is added
//   reflection   the same with b_t up to 2          Grazzi et al.: a sign may change
// clang-format on
//
// They are written with plain loops, to be read. `the_rules` compares them with the mixers of the library, which
// compute the same for many words at a time. Keys and values are row vectors, so k^T v is the matrix with the numbers
// k_i v_j.
//
// Sources: Katharopoulos et al., ICML 2020; Sun et al., arXiv:2307.08621, 2023; Yang et al., ICML 2024; Dao and Gu,
// ICML 2024; Schlag et al., ICML 2021; Yang et al., NeurIPS 2024; Yang et al., ICLR 2025; Grazzi et al., ICLR 2025.
//
// T words, K width of a key, V width of a value, g and a in (0, 1], b strength of a write.
#pragma once

#include <cmath>
#include <vector>

#include "nn/attention/recurrences/decayed_sums.h"

namespace without_softmax {

namespace nn = heed::nn;
using heed::Variable, heed::Tensor;
using Numbers = std::vector<double>;
using State = std::vector<Numbers>;  // [K][V]

inline State empty_state(size_t keys, size_t values) { return State(keys, Numbers(values, 0.0)); }

inline Numbers read(const State& S, const Numbers& q) {  // q S, [V]
  Numbers o(S[0].size(), 0.0);
  for (size_t i = 0; i < q.size(); ++i)
    for (size_t j = 0; j < o.size(); ++j) o[j] += q[i] * S[i][j];
  return o;
}
inline void write_sum(State& S, const Numbers& k, const Numbers& v) {
  for (size_t i = 0; i < k.size(); ++i)
    for (size_t j = 0; j < v.size(); ++j) S[i][j] += k[i] * v[j];
}
inline void write_gate(State& S, const Numbers& k, const Numbers& v, const Numbers& a) {  // a [K]: one for each row
  for (size_t i = 0; i < k.size(); ++i)
    for (double& s : S[i]) s *= a[i];
  write_sum(S, k, v);
}
inline void write_decay(State& S, const Numbers& k, const Numbers& v, double g) {
  write_gate(S, k, v, Numbers(k.size(), g));
}
inline void write_delta(State& S, const Numbers& k, const Numbers& v, const Numbers& a, double b) {
  write_gate(S, Numbers(k.size(), 0.0), v, a);  // decays, and writes nothing
  const Numbers found = read(S, k);
  Numbers missing(v.size());
  for (size_t j = 0; j < v.size(); ++j) missing[j] = b * (v[j] - found[j]);
  write_sum(S, k, missing);
}

// The words of the library's mixer, one after the other, through the loops above: o [T][V]. Of the first sentence and
// head; decay and strength may be undefined.
inline State by_hand(const nn::DecayedSums& w) {
  auto row = [](const Variable& x, int64_t t) {
    const Tensor& all = x.value();
    Numbers out(static_cast<size_t>(all.size(3)));
    for (size_t i = 0; i < out.size(); ++i) out[i] = all.at({0, 0, all.size(2) == 1 ? 0 : t, static_cast<int64_t>(i)});
    return out;
  };
  State S = empty_state(static_cast<size_t>(w.k.size(3)), static_cast<size_t>(w.v.size(3))), outputs;
  for (int64_t t = 0; t < w.q.size(2); ++t) {
    const Numbers k = row(w.k, t), v = row(w.v, t);
    Numbers a(k.size(), 1.0);
    if (w.decay.defined()) {
      const Numbers g = row(w.decay, t);  // its logarithm: one number, or K
      for (size_t i = 0; i < a.size(); ++i) a[i] = std::exp(g[g.size() == 1 ? 0 : i]);
    }
    if (w.strength.defined())
      write_delta(S, k, v, a, row(w.strength, t)[0]);
    else
      write_gate(S, k, v, a);
    outputs.push_back(read(S, row(w.q, t)));
  }
  return outputs;
}

}  // namespace without_softmax
