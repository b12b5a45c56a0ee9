// Exercise 32.3: count by two.
//
//   S = S + b k^T (v - k S) = (1 - b k^T k) S + b k^T v        |k| = 1,  0 <= b <= 2
//
// Words are 'a', 'b' and others. The state is a column of two numbers and begins with zeros. Choose for each word a
// key, a value and a strength so that the state tells, after any number of words, whether the number of 'a' so far is
// odd, and whether that of 'b' is: two parities in one state.
//
// Grazzi et al., "Unlocking state-tracking in linear RNNs through negative eigenvalues", ICLR
// 2025.
#pragma once

#include <array>

namespace mine {

using Pair = std::array<double, 2>;

struct Write {
  Pair k = {1, 0};      // of length 1
  double v = 0, b = 0;  // the value, one number; the strength, from 0 to 2
};

Write write_of(char word);
// 1 if the number of 'a' so far is odd, and 1 if that of 'b' is. S is the state.
std::array<int, 2> parities_of(const Pair& S);

}  // namespace mine
