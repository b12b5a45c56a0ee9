// Sums over keys that serve every query: the common part of linear attention and its relatives, whatever the features.
//
//   w_ts = phi(q_t) . phi(k_s) / sum_s' phi(q_t) . phi(k_s')            the implied weights
//   c_t  = phi(q_t) M / (phi(q_t) . z),   M = sum_s phi(k_s) v_s^T,   z = sum_s phi(k_s)
//
// Nothing underflows, because each sum has a scale of its own, as in FAVOR+ (Choromanski et al., "Performers", ICLR
// 2021, code). m_i is the largest log phi(k_s)_i of the keys in the sums, for each feature i by itself:
//
//   k'_si = phi(k_s)_i / e^m_i,   q'_ti = phi(q_t)_i e^m_i / r_t,   r_t = max_i phi(q_t)_i e^m_i
//
// e^m_i cancels in q'_t . k'_s, and r_t cancels in c_t. For positive features, the one at which r_t is taken
// contributes at least 1 to the denominator, since some key has k'_si = 1 there. When a word raises m_i, the sums are
// multiplied by e^(old - new). Features with a part (features.h) have one m for all features. B batch, T queries, S
// keys, H heads, G key-value heads, V width of a value, F features.
#pragma once

#include <vector>

#include "nn/attention/evaluators/features.h"

namespace heed::nn {

// [M z] of some words, divided by e^m: it has no gradient of its own, since it cancels.
struct ScaledSums {
  Variable rows = {};  // [.., F, V + 1]
  Tensor scale = {};   // m [.., 1, F], or [.., 1, 1]
};

Features slice_rows(const Features& x, int64_t begin, int64_t end);
Features without(const Features& x, const Tensor& hidden);  // hidden bool [.., n, 1]: features of 0
Features for_heads(const Features& x, int64_t heads);
ScaledSums for_heads(const ScaledSums& sums, int64_t heads);

// Values with an entry of 1 more, [v 1]: one product then makes M and z.
Variable with_ones(const Variable& values);
ScaledSums no_sums(const Features& k, const Variable& v);
// The sums with the words k [.., n, F], v [.., n, V + 1] added; and at another scale.
ScaledSums with_words(const ScaledSums& sums, const Features& k, const Variable& v);
ScaledSums at_scale(const ScaledSums& sums, const Tensor& scale);

// c [.., T, V] of queries that see all words of the sums. A query that reads nothing gets 0.
Variable read_sums(const Features& q, const ScaledSums& sums);
// c [.., T, V] of queries that see `sums` and those of the keys whose places are not after theirs, where query t is at
// the place of key first + t. Chunk by chunk: the sums of all keys before the chunk, and a triangle inside it.
Variable read_causal(const Features& q, const Features& k, const Variable& v, ScaledSums sums, int64_t first,
                     int64_t chunk);
// The weights themselves, [.., T, S]. `allowed`, broadcastable to them, may be undefined.
Variable kernel_weights(const Features& q, const Features& k, const Tensor& allowed);

}  // namespace heed::nn
