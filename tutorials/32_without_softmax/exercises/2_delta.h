// Exercise 32.2: the gated delta rule, one word.
//
//   S' = a S                          the memory decays
//   r  = k S'                         what the key returns now, [V]
//   S  = S' + b k^T (v - r)           add a share b of what is missing
//   o  = q S
//
// k has length 1. With b = 1 the key returns v afterwards; with b = 0 nothing is written.
//
// Yang, Kautz and Hatamizadeh, "Gated delta networks", ICLR 2025, section 3. K width of a key, V width of a value.
#pragma once

#include <vector>

namespace mine {

using Numbers = std::vector<double>;
using State = std::vector<Numbers>;  // [K][V]

struct Word {
  Numbers q, k, v;      // [K], [K], [V]
  double a = 1, b = 1;  // share that is kept; strength of the write
};

// Writes the word into S, and returns what its query reads then, [V].
Numbers delta_step(State& S, const Word& word);

}  // namespace mine
