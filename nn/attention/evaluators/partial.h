// Attention to a part of the keys, and the merge of two parts (flash-decoding: Dao, Haziza, Massa and Sizov, 2023; ring
// attention: Liu, Zaharia and Abbeel, 2023; the rule is that of Milakov and Gimelshein's online softmax, 2018).
//
//   part:   L = log sum_s e^(e_s),   o = sum_s e^(e_s - L) v_s                         over the keys s of the part
//   merge:  L = log(e^L1 + e^L2),    o = e^(L1 - L) o1 + e^(L2 - L) o2
//
// Besides its context, a part has to pass on only L, one number per query. So parts may be computed on several
// processors, or one after the other in bounded memory. The merge of all parts is attention to all keys. It is
// associative and commutative, so the parts may arrive in any order. A part without an allowed key has L = -inf and
// o = 0, and the merge leaves the other part as it is. e_s score, v_s value of key s.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

struct Partial {
  Variable context, log_sum;  // o [.., T, V], L [.., T, 1]
};

// scores [.., T, n], values [.., n, V]. `allowed` may be undefined. Dropout falls on the weights e^(e_s - L).
Partial partial_attention(const Variable& scores, const Variable& values, const Tensor& allowed,
                          const Dropout* dropout = nullptr);
Partial merged(const Partial& a, const Partial& b);

// What restricts the scores of all keys and is added to them, [.., T, S] or broadcastable; undefined: nothing.
struct Columns {
  Tensor allowed = {};
  Variable bias = {};
};
Columns columns_of(const StageSet& stages, const AttentionCall& call, const Places& places);
// The part whose keys [B, G, n, K] are columns begin, begin + 1, ..
Partial part_of(const StageSet& stages, const Variable& queries, const Variable& keys, const Variable& values,
                const Columns& columns, int64_t begin, StageContext& context);

// Why attention by these stages cannot be computed in parts; empty if it can.
std::string why_not_in_parts(const StageSet& stages);

}  // namespace heed::nn
