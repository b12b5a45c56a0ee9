// Sums of outer products that decay: what retention, gated linear attention, fast weights and Mamba-2 have in common.
// Each word adds key times value to a matrix S, the matrix decays from word to word, and a query reads it:
//
// clang-format off
//   S_t = diag(a_t) S_(t-1) + k_t^T u_t         a_t = exp(g_t), g_t <= 0: one number, or one for
//                                               each feature of the key
//   o_t = q_t S_t
//   u_t = v_t                                   linear attention without a normaliser
//   u_t = b_t (v_t - p_t diag(a_t) S_(t-1))     with `strength` b: the delta rule, which writes
//                                               what is still missing; p_t = k_t unless `removed`
//   S_t = .. + k_t^T v_t - e_t^T r_t            with `erased` e and `removed` p: what p_t returns,
//   r_t = p_t diag(a_t) S_(t-1)                 r_t, is taken away under e_t, not under k_t
// clang-format on
//
// The last line is the general one: e = b k and b v in place of v make it the delta rule. A removal that acts on the
// state before it decays, S diag(a) - (S p^T) e, is the same with p / a in place of p.
//
// With a_t = 1 this is causal linear attention: o_t = sum over s <= t of (q_t . k_s) v_s. One function in three forms,
// which agree up to rounding. In them, G_t = g_1 + .. + g_t is the log decay from the start of a chunk to word t, and
// G_ts = g_(s+1) + .. + g_t that from word s to word t. G_ts is summed by segment_sums.h: the difference G_t - G_s
// would lose the digits of weak decays after a strong one.
//
// clang-format off
//   recurrent   the formula above: one word after another       T K V multiply-adds, T steps
//   parallel    o = (q k^T * D) u, D_ts = exp(G_ts), s <= t       all [T, T] products
//   chunkwise   parallel in a chunk of C words, recurrent over    T (C (K + V) + K V), T / C steps:
//               the chunks: o_t += exp(G_t) q_t S                 linear in T, by matrix products
// clang-format on
//
// With a decay for each feature D belongs to the product of that feature, which costs [C, C, K] numbers. All exponents
// are <= 0, so nothing overflows. Under the delta rule u solves a triangular system (Yang et al., "Parallelizing linear
// transformers with the delta rule over sequence length", NeurIPS 2024, section 3; with decay: Yang et al., "Gated
// delta networks", ICLR 2025, section 3):
//
//   (1 + N) u = b (v - exp(G) p S),   N_ts = b_t exp(G_ts) p_t . k_s for s < t
//   (1 + N) r = M v + exp(G) p S,     N_ts = exp(G_ts) p_t . e_s, M_ts = exp(G_ts) p_t . k_s       with `erased`
//
// S may decay by the features of the values instead, S_t = S_(t-1) diag(a_t) + k_t^T v_t: memories whose slots are its
// columns (gated_slots.h). D then belongs to each feature of the value, which costs [C, C, V] numbers.
//
// B batch, H heads, T words, K width of keys and queries, V of values, C words per chunk.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct DecayedSums {
  Variable q, k, v;           // [B, H, T, K] twice, [B, H, T, V]
  Variable decay = {};        // g [B, H, T, 1] or [B, H, T, K], axes of size 1 allowed; undefined: 0
  Variable strength = {};     // b [B, H, T, 1]; undefined: values are added as they are
  Variable removed = {};      // p [B, H, T, K]: what it returns is removed; undefined: k. Needs strength or erased
  Variable erased = {};       // e [B, H, T, K]: where it is removed; undefined: b k. Needs removed, and no strength
  Variable value_decay = {};  // [B, H, T, V], in place of the other decay, and without the delta rule; undefined: 0
};
struct SumsRead {
  Variable output;  // [B, H, T, V]
  Variable state;   // S after the last word [B, H, K, V]
};

// `state` is S before the first word; undefined: 0.
SumsRead recurrent_sums(const DecayedSums& words, const Variable& state = {});
SumsRead chunkwise_sums(const DecayedSums& words, int64_t chunk, const Variable& state = {});
inline SumsRead parallel_sums(const DecayedSums& words, const Variable& state = {}) {
  return chunkwise_sums(words, words.q.size(2), state);
}
// One word: recurrent. More of them: chunkwise.
SumsRead sums_of(const DecayedSums& words, int64_t chunk, const Variable& state);
// Each query reads before its own word decays or writes anything: o_t = q_t S_(t-1).
SumsRead sums_before(const DecayedSums& words, int64_t chunk, const Variable& state);

// Padding writes nothing and lets nothing decay. padding_mask bool [B, T], false for padding; undefined: none.
DecayedSums without_padding(DecayedSums words, const Tensor& padding_mask);

// (1 + N)^-1 for N strictly lower triangular, [.., C, C]: of blocks of 1, 2, 4, .. rows, in log2 C rounds of products.
// [1 0; n 1]^-1 = [1 0; -n 1], and for blocks [A 0; n D]^-1 = [A' 0; -D' n A' D'] with A', D' the inverses.
Variable inverse_of_unit_lower(const Variable& n);

}  // namespace heed::nn
