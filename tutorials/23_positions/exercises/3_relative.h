// Exercise 23.3: attention with Shaw's relative positions.
//
//   r(t, s) = clip(s - p_t, -R, R) + R                         p_t = first + t: the position of query t
//   e_ts    = q_t . (k_s + a_r(t, s)) / sqrt(K)                -infinity if causal and s > p_t
//   w       = softmax of e over the keys s
//   c_t     = sum_s w_ts (v_s + b_r(t, s))
//
// One vector a for each pair of query and key would be [T, S, K] numbers. But only 2 R + 1 of them differ, so multiply
// first and select afterwards, which needs [T, 2 R + 1] numbers for each head:
//
//   q_t . a_r                   column r(t, s) of q a^T                                   [H, T, 2 R + 1] -> [H, T, S]
//   sum_s w_ts b_r(t, s)        add up the weights that have the same r, then times b     [H, T, S] -> [H, T, 2 R + 1]
//
// H heads, T queries, S keys, K width of a head, R reach. With a cache the queries begin at position `first`; the keys
// always begin at 0. Shaw, Uszkoreit and Vaswani, NAACL 2018, sections 3.1 and 3.2 (equations 3 and 4). Huang et al.,
// ICLR 2019 (Music Transformer) select from q a^T in a similar way.
#pragma once

#include "autograd/ops.h"

namespace mine {

using heed::Variable;

struct Tables {
  Variable keys, values;  // a, b [2 R + 1, K]; all heads share them
};

// q [H, T, K], k and v [H, S, K] -> c [H, T, K]
Variable relative_attention(const Variable& q, const Variable& k, const Variable& v, const Tables& tables,
                            int64_t first, bool causal);

}  // namespace mine
