// Other weights over the same encoder outputs: permuted ones, and those of an adversary.
//
// The answer is y = sum_i w_i z_i, where z_i is the answer if word i had all the weight. An adversary looks for weights
// w' that are as far from w as possible and give exactly the same answer:
//
// clang-format off
//   maximise JSD(w, w')   subject to   sum_i w'_i z_i = y,   sum_i w'_i = 1,   w'_i >= 0
//   JSD(w, w') = H(m) - H(w) / 2 - H(w') / 2,   m = (w + w') / 2,   H(p) = - sum_i p_i log p_i
//   It is at most log 2 = 0.69.
// clang-format on
//
// JSD is convex in w', so its maximum is at a corner of the set of all such w'. With two equations, a corner has at
// most two weights that are not 0. So it is enough to try all pairs of words with z_i <= y <= z_j: the search is exact.
// Jain and Wallace (NAACL 2019, section 4.2.2) search by gradient descent and let the answer change by 0.01.
#pragma once

#include "tutorials/29_explain/importance.h"

namespace explain {

inline double entropy(const Ranking& p) {
  double h = 0;
  for (double x : p) h -= x > 0 ? x * std::log(x) : 0;
  return h;
}
inline double divergence(const Ranking& a, const Ranking& b) {  // JSD
  Ranking m = a;
  for (size_t i = 0; i < m.size(); ++i) m[i] = (a[i] + b[i]) / 2;
  return entropy(m) - entropy(a) / 2 - entropy(b) / 2;
}
inline double answer(const Ranking& weights, const Ranking& z) {
  double y = 0;
  for (size_t i = 0; i < z.size(); ++i) y += weights[i] * z[i];
  return y;
}

inline Ranking adversary(const Ranking& weights, const Ranking& z) {
  double y = answer(weights, z), far = -1;
  Ranking worst;
  for (size_t i = 0; i < z.size(); ++i)
    for (size_t j = 0; j < z.size(); ++j) {
      if (z[i] > y || z[j] < y) continue;
      double share = z[i] < z[j] ? (y - z[i]) / (z[j] - z[i]) : 1;  // of word j
      Ranking other(z.size(), 0);
      other[i] += 1 - share;
      other[j] += share;
      if (double d = divergence(weights, other); d > far) far = d, worst = other;
    }
  return worst;
}

inline double probability(double y) { return 1 / (1 + std::exp(-y)); }

struct OtherWeights {                // means over reviews
  double permuted = 0, flipped = 0;  // change of the probability by a permutation; in %, how often the class changes
  double equal = 0;                  // in %, how often equal weights change the class
  double distance = 0, moved = 0;    // JSD of the adversary; in %, how often its largest weight is on another word
  double off = 0;                    // largest difference of its answer
};

// z_i of each word of each review: [B, T].
inline Tensor single_answers(const Classifier& m, const Read& read) { return squeeze(m.output(read.h), 2).value(); }

inline OtherWeights other_weights(const Classifier& m, const data::Symbols& symbols, const std::vector<Review>& reviews,
                                  uint64_t seed) {
  heed::NoGrad guard;
  Read read = m(batch_of(symbols, reviews));
  Tensor z_all = single_answers(m, read);
  Generator rng(seed, 1ull << 42);
  OtherWeights out;
  constexpr int kPermutations = 100;
  for (size_t i = 0; i < reviews.size(); ++i) {
    auto b = static_cast<int64_t>(i), length = std::ssize(reviews[i].words);
    Ranking w = row(read.weights.value(), b, length), z = row(z_all, b, length), p = w;
    double y = answer(w, z);
    for (int k = 0; k < kPermutations; ++k) {
      rng.shuffle(p);
      double other = answer(p, z);
      out.permuted += std::abs(probability(other) - probability(y)) / kPermutations;
      out.flipped += 100.0 * ((other > 0) != (y > 0)) / kPermutations;
    }
    out.equal += 100.0 * ((answer(Ranking(w.size(), 1 / static_cast<double>(length)), z) > 0) != (y > 0));
    Ranking other = adversary(w, z);
    out.distance += divergence(w, other);
    out.moved += 100.0 * (top(other) != top(w));
    out.off = std::max(out.off, std::abs(answer(other, z) - y));
  }
  for (double* x : {&out.permuted, &out.flipped, &out.equal, &out.distance, &out.moved})
    *x /= static_cast<double>(reviews.size());
  return out;
}

}  // namespace explain
