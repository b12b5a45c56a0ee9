// Area attention (section 3 of the paper): a query may attend to a run of neighbouring words as a whole. With A = 1 it
// is ordinary attention. A run that contains a masked word is left out. The values are sums, so a run of a words with
// the weight 1 counts a times as much as one word: the shares of the words, which are returned, sum to more than 1. A S
// scores per query in place of S.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/other_keys_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

inline constexpr About kAboutArea{
    .names = {"E26c", "area", "area attention"},
    .formula = "keys of runs of up to A words: means;  values: sums;  softmax over all runs",
    .paper = {"Li et al., ICML 2019", 2019, 4},
    .idea =
        "Besides single words, a query may attend to runs of neighbouring words. Each run is a further key with the "
        "mean of its keys and the sum of its values. How large a part of the sentence is read is then learned and not "
        "fixed.",
    .wrong = "The key of a run is a mean, its value a sum. Two means would make a long run count as much as one word.",
    .shapes = "q [B, T, D], k [B, S, D], v [B, S, V] -> [B, T, V], shares [B, T, S]",
    .cost = "2 A T S D products; no parameters",
    .own = {"queries_may_be_permuted", "area_of_one_is_ordinary", "areas_by_hand", "runs_do_not_cross_a_mask"},
    .exempt = {{"rows_sum_to_one", "a run of a words has the sum of their values, so shares of words sum to more"}},
    .cases = "area_attention",
    .more = "a layer for a model of your own, in C++; no option of heed train has it",
};

struct AreaAttended {
  Variable context;  // [B, T, V]
  Variable weights;  // of the runs [B, T, A S - A (A - 1) / 2]: all of one word, then all of two, ..
  Variable shares;   // of the words, the sum over the runs that contain it [B, T, S]
};

// q [B, T, D], k [B, S, D], v [B, S, V]; allowed bool, broadcastable to [B, T, S]; longest A
inline AreaAttended area_attention(const Variable& q, const Variable& given_k, const Variable& given_v, int64_t longest,
                                   const Tensor& allowed = {}) {
  Variable k = without_unread(given_k, allowed), v = without_unread(given_v, allowed);
  int64_t S = k.size(1);
  std::vector<Variable> keys, values;
  std::vector<Tensor> open;
  std::vector<int64_t> counts;
  for (int64_t a = 1; a <= std::min(longest, S); ++a) {
    keys.push_back(mean(unfold(k, 1, a, 1), {-1}));
    values.push_back(sum(unfold(v, 1, a, 1), {-1}));
    counts.push_back(S - a + 1);
    Tensor whole = allowed.defined() ? allowed.slice(-1, 0, counts.back()) : Tensor();
    for (int64_t i = 1; whole.defined() && i < a; ++i)
      whole = logical_and(whole, allowed.slice(-1, i, i + counts.back()));
    if (whole.defined()) open.push_back(whole.contiguous());
  }
  Variable e = matmul(q, transpose(concat(keys, 1), 1, 2)) / std::sqrt(static_cast<double>(k.size(2)));
  Attended seen = attend(e, concat(values, 1), open.empty() ? Tensor() : concat(open, -1));
  std::vector<Variable> of_length = split(seen.weights, counts, -1);
  Variable shares;
  for (size_t a = 0; a < of_length.size(); ++a)
    for (int64_t i = 0; i <= static_cast<int64_t>(a); ++i) {
      Variable part = place(of_length[a], -1, i, 1, S);
      shares = shares.defined() ? shares + part : part;
    }
  return {seen.context, seen.weights, shares};
}

}  // namespace heed::nn
