// Exercise 09.3: reverse a batch of sentences for a backward direction.
//
//   a b c . .   ->   c b a . .          lengths 3 and 5; a dot is padding, the id 0
//   d e f g h   ->   h g f e d
//
// The backward direction of a recurrent network reads each sentence from its last word to its first. Padding stays at
// the end: if whole rows were reversed, a short sentence would begin with its padding.
//
// Schuster and Paliwal, IEEE Transactions on Signal Processing 1997.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

using Rows = std::vector<std::vector<int64_t>>;  // [B][S]

Rows backwards(Rows ids, const std::vector<int64_t>& lengths);  // lengths [B]

}  // namespace mine
