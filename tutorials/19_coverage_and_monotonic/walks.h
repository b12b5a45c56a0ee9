// The walks of monotonic attention, one by one: a second way to compute the expected alignment of the library.
//
//   p [T][S]   the probability to stop at key s, once the walk is there
//   query t starts where query t - 1 has stopped, at the first key for t = 0; it passes key s with 1 - p_ts
//   alpha_ts = the sum of the probabilities of all walks in which query t stops at s
//
// There are as many walks as there are rising sequences of T stops, so this is for small T and S only. Raffel, Luong,
// Liu, Weiss and Eck, "Online and linear-time attention by enforcing monotonic alignments", ICML 2017.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/attention/normalisers/monotonic.h"
#include "tensor/random.h"

namespace coverage {

using Rows = std::vector<std::vector<double>>;  // [T][S]

struct Walks {
  Rows alpha;
  int64_t count = 0;  // walks in which every query stops at some key
};
// Walks are kept in a list, each with the query that comes next, its place and its probability.
inline Walks all_walks(const Rows& p) {
  const size_t T = p.size(), S = p[0].size();
  Walks out{Rows(T, std::vector<double>(S, 0)), 0};
  struct Walk {
    size_t query, place;
    double probability;
  };
  std::vector<Walk> open{{0, 0, 1}};
  while (!open.empty()) {
    Walk w = open.back();
    open.pop_back();
    double chance = w.probability;
    for (size_t s = w.place; s < S; ++s) {
      const double here = chance * p[w.query][s];
      out.alpha[w.query][s] += here;
      if (w.query + 1 < T)
        open.push_back({w.query + 1, s, here});
      else
        ++out.count;
      chance *= 1 - p[w.query][s];
    }
  }
  return out;
}

// The library's alignment, from scores whose sigmoid is p; in 64 bits.
inline Rows library_alignment(const Rows& p) {
  const auto T = static_cast<int64_t>(p.size()), S = static_cast<int64_t>(p[0].size());
  heed::Generator rng(1);
  auto normaliser = heed::nn::make_normaliser(heed::nn::chosen<heed::nn::MonotonicNormaliser>({.offset = 0}), rng);
  heed::nn::convert(*normaliser, heed::DType::f64);
  std::vector<double> scores;
  for (const auto& row : p)
    for (double x : row) scores.push_back(std::log(x / (1 - x)));
  std::vector<double> flat = (*normaliser)(heed::Tensor::from(scores, {1, T, S})).value().to_vector();
  Rows alpha;
  for (auto at = flat.begin(); at != flat.end(); at += S) alpha.emplace_back(at, at + S);
  return alpha;
}

// A tempting wrong formula, for comparison: every query starts at the first key again.
inline Rows without_memory(const Rows& p) {
  Rows alpha;
  for (const auto& row : p) alpha.push_back(all_walks({row}).alpha[0]);
  return alpha;
}

inline double largest_difference(const Rows& a, const Rows& b) {
  double worst = 0;
  for (size_t t = 0; t < a.size(); ++t)
    for (size_t s = 0; s < a[t].size(); ++s) worst = std::max(worst, std::abs(a[t][s] - b[t][s]));
  return worst;
}

inline Rows random_stops(uint64_t seed, size_t T, size_t S) {
  heed::Generator rng(seed);
  Rows p(T, std::vector<double>(S));
  for (auto& row : p)
    for (double& x : row) x = rng.uniform();
  return p;
}

}  // namespace coverage
