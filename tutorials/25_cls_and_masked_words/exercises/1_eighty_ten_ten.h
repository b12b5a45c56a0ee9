// Exercise 25.1: what replaces a word that must be predicted?
//
//   80 %   [MASK]
//   10 %   another word, drawn at random
//   10 %   the word itself
//
// Devlin et al., NAACL 2019, section 3.1. [MASK] never occurs when the encoder is used: with the other 20 % it also
// learns about words that are there.
#pragma once

#include <cstdint>

namespace mine {

inline constexpr int64_t kMask = 6;  // the id of [MASK]

// chance: uniform in [0, 1). word: the id of the word itself; other: the id of a word drawn at random.
int64_t in_place_of(int64_t word, int64_t other, double chance);

}  // namespace mine
