// Exercise 26.2: one word per step, with a cache of keys and values.
//
//   all at once    h = softmax(q k^T / sqrt(D), causal) v        q, k, v [T, D] = x W_q^T, x W_k^T, x W_v^T
//   with a cache   step t receives x_t only. Its key and value are appended to those of the earlier words,
//                  and its query attends to all of them. No mask is needed: later words are not in the cache yet.
//
// Both give the same h. T words, D width.
#pragma once

#include "autograd/ops.h"

namespace mine {

struct Weights {
  heed::Variable q, k, v;  // [D, D] each
};
struct Cache {
  heed::Variable keys, values;  // [words so far, D]; undefined before the first word
};

// x [1, D], one word -> [1, D]; the cache grows by one row.
heed::Variable step(const heed::Variable& x, const Weights& w, Cache& cache);

}  // namespace mine
