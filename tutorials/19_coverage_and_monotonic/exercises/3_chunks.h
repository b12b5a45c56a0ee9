// Exercise 19.3: the expected alignment of monotonic attention, and MoChA.
//
//   q_t0     = alpha_{t-1,0}                                             alpha_0 = [1, 0, 0, ..]
//   q_ts     = (1 - p_{t,s-1}) q_{t,s-1} + alpha_{t-1,s}                 the probability that query t looks at key s
//   alpha_ts = p_ts q_ts                                                 .. and stops there
//
//   beta_ts  = sum_{k=s}^{s+w-1} alpha_tk exp(u_ts) / sum_{l=k-w+1}^{k} exp(u_tl)      keys outside 0 .. S-1 left out
//
// p [T][S] are the probabilities to stop and u [T][S] the scores inside a chunk. From the stop k, MoChA looks back at
// the last w keys, k included, with a softmax of their scores. beta is the expected weight of each key. alpha_0 is the
// state before the first query and is not returned. The next query goes on from alpha, not from beta.
// Raffel et al., ICML 2017, section 2.3; Chiu and Raffel, ICLR 2018, section 2.3.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

using Rows = std::vector<std::vector<double>>;  // [T][S]

struct Expected {
  Rows alpha, beta;
};

Expected mocha(const Rows& p, const Rows& u, std::size_t w);

}  // namespace mine
