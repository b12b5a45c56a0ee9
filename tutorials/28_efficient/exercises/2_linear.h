// Exercise 28.2: linear attention, one word at a time.
//
//   phi(x) = elu(x) + 1:   exp(x) for x < 0,   x + 1 for x >= 0        for each number
//   c_t = sum_{s <= t} (phi(q_t) . phi(k_s)) v_s / sum_{s <= t} phi(q_t) . phi(k_s)
//
// phi(q_t) does not depend on s, so it can be taken out of both sums. What is left are two running sums over the words:
//
//   M = sum_{s <= t} phi(k_s) v_s^T   [K][V]        z = sum_{s <= t} phi(k_s)   [K]
//   c_t[j] = sum_i phi(q_t)[i] M[i][j] / sum_i phi(q_t)[i] z[i]
//
// A word attends to itself and to all earlier ones, so it is added to the sums before they are read. At first both sums
// are empty: give them their size when the first word comes.
//
// Katharopoulos, Vyas, Pappas and Fleuret, "Transformers are RNNs", ICML 2020, equations 7 and 18 to 20.
#pragma once

#include <vector>

namespace mine {

using Numbers = std::vector<double>;

struct State {
  std::vector<Numbers> M = {};  // [K][V]
  Numbers z = {};               // [K]
};

// Adds the word (k, v) to the state, and returns the context of its query q. q, k [K]; v [V].
Numbers linear_step(State& state, const Numbers& q, const Numbers& k, const Numbers& v);

}  // namespace mine
