// Attention to the nearest neighbours in a store of past examples, and the language model that uses it ("Generalization
// through memorization: nearest neighbor language models", section 2).
//
//   p_knn(v) = sum_{s: the word after k_s is v} w_ts
//
// Keys are hidden states of a finished model over a text, values the words that followed: nothing is trained. Attention
// with all keys would be dominated by the many that are far away. The paper has tau = 1; the temperature came with
// translation by nearest neighbours (Khandelwal et al., ICLR 2021).
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/past_properties.cpp use it.
#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

inline constexpr About kAboutKnn{
    .names = {"E20", "knn", "kNN attention", "kNN-LM"},
    .formula = "w_ts = exp(-|q_t - k_s|^2 / tau) / sum over the K nearest;  p = lambda p_knn + (1 - lambda) p_lm",
    .paper = {"Khandelwal et al., ICLR 2020", 2020, 4},
    .idea =
        "The states of a trained language model over a large text are stored with the words that came next. A new "
        "state looks up its nearest neighbours there, and their next words are mixed into the prediction. Nothing is "
        "trained, and new text is added by storing it.",
    .wrong =
        "The distance is squared and has a temperature. Without one, a single neighbour often gets all the weight.",
    .shapes = "q [B, T, D], k [B, S, D], v [B, S, V] -> [B, T, V], weights [B, T, S]",
    .cost = "T S D products and a selection of K of S keys; no parameters",
    .own = {"keys_may_be_permuted", "queries_may_be_permuted", "constant_values_are_read", "mask_is_minus_infinity",
            "only_the_nearest_are_read", "neighbours_vote_for_a_word"},
    .cases = "nearest_attention",
    .more = "functions over the states of a trained model, in C++; nothing in it is trained",
};

struct NearestOptions {
  int64_t neighbours = 8;  // K; more than there are: all
  double temperature = 1;  // tau
  Tensor allowed = {};     // bool, broadcastable to [B, T, S]
};

// -inf for all but the K largest of each row of scores [.., S]. Of equal scores the first are kept.
inline Variable largest_only(const Variable& scores, int64_t count) {
  if (count >= scores.size(-1)) return scores;
  Tensor kept = topk(scores, count, -1).indices;
  Tensor chosen = scatter_add(Variable(Tensor::ones(kept.shape(), scores.dtype())), kept, scores.size(-1)).value();
  return masked_fill(scores, equal(chosen, 0), -INFINITY);
}

// q [B, T, D], k [B, S, D], v [B, S, V]
inline Attended nearest_attention(const Variable& q, const Variable& k, const Variable& v,
                                  const NearestOptions& o = {}) {
  const double unit = std::sqrt(o.temperature);  // squares are of x / unit; as |q|^2 - 2 q.k + |k|^2 they lose digits
  Variable keys = unsqueeze(without_unread(k, o.allowed) / unit, 1);
  Variable e = -sum(square(unsqueeze(q / unit, 2) - keys), {-1});
  if (o.allowed.defined()) e = masked_fill(e, logical_not(o.allowed.expand(e.shape())), -INFINITY);
  return attend(largest_only(e, o.neighbours), v, o.allowed);
}

// weights [B, T, S] over keys whose next words are ids [B, S] -> p_knn [B, T, V]
inline Variable probability_of_neighbours(const Variable& weights, const Tensor& ids, int64_t vocabulary) {
  return scatter_add(weights, ids.unsqueeze(1).expand(weights.shape()).contiguous(), vocabulary);
}

inline Variable mixed_with_neighbours(const Variable& model, const Variable& neighbours, double lambda) {
  return model * (1 - lambda) + neighbours * lambda;
}

}  // namespace heed::nn
