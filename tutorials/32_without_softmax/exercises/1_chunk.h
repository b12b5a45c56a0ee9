// Exercise 32.1: the decay, a chunk of words at a time.
//
//   S_t = g S_(t-1) + k_t^T v_t        o_t = q_t S_t        word by word
//
// This function gets a chunk of C words and the state S that the words before it left. For the words i = 0 .. C - 1 of
// the chunk, the same outputs are
//
//   o_i = g^(i + 1) q_i S + sum_{j <= i} g^(i - j) (q_i . k_j) v_j        the state before, and the words of the chunk
//   S'  = g^C S + sum_j g^(C - 1 - j) k_j^T v_j                           the state after the chunk
//
// On a graphics processor the sums are matrix products, and the chunks are the only steps that must wait for each
// other.
//
// Sun et al., "Retentive network", arXiv:2307.08621, equation 7. C words, K width of a key, V width of a value.
#pragma once

#include <vector>

namespace mine {

using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;

// q, k [C][K]; v [C][V]; S [K][V], which becomes the state after the chunk. Returns o [C][V].
Rows chunk_step(Rows& S, const Rows& q, const Rows& k, const Rows& v, double g);

}  // namespace mine
