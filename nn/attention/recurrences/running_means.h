// Running weighted means, each feature by itself: the "WKV" of RWKV, and AFT without position biases.
//
//   o_t = sum_(s <= t) exp(e_ts) v_s / sum_(s <= t) exp(e_ts)
//   e_ts = k_s - (t - 1 - s) w for s < t,   e_tt = k_t + u            w >= 0 the decay, u the bonus of the own word
//
// The state that is passed from word to word is the mean so far and the logarithm l of its total weight. That is the
// stabilised recurrence: RWKV's code keeps a maximum and two sums scaled by it, of which l and the mean are the
// logarithm and the quotient. Nothing overflows for any k.
//
// clang-format off
//   recurrent   chunk = 1: the mean so far and the own word,         T steps
//               weighted by softmax(l, k_t + u)
//   parallel    chunk = T: softmax over s of [T, T] scores          T^2 D numbers
//               for each feature
//   chunkwise   the words of a chunk and one more key, the mean      T C D exponentials
//               before it with the score l
// clang-format on
//
// Padding has the weight 0 and does not count in t - 1 - s. B batch, T words, D features.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct RunningMeans {
  Variable mean = {}, log_total = {};  // [B, 1, D]; undefined before the first word
};
struct MeansRead {
  Variable output;  // [B, T, D]
  RunningMeans state;
};

// k, v [B, T, D]; decay w, bonus u [D] or undefined: 0; words bool [B, T] or undefined.
MeansRead running_means(const Variable& k, const Variable& v, const Variable& decay, const Variable& bonus,
                        const Tensor& words, int64_t chunk, const RunningMeans& state);

}  // namespace heed::nn
