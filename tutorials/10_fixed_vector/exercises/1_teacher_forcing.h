// Exercise 10.1: teacher forcing.
//
// In training a decoder receives at each step the right previous symbol, whatever it predicted itself. From the symbols
// of a target make the input of the decoder, what it has to predict, and a mask of the places that count in the loss.
// All rows have length T = (the length of the longest target of the batch) + 1:
//
//   symbols  7 5 4        input   <s> 7 5 4     <pad> <pad>
//                         target  7   5 4 </s>  <pad> <pad>
//                         mask    1   1 1 1     0     0
//
// Williams and Zipser, Neural Computation 1989.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

using Row = std::vector<double>;
inline constexpr double kPad = 0, kStart = 2, kStop = 3;  // as in nn/text/vocabulary.h

struct Forced {
  Row input, target, mask;  // [T] each
};

Forced force(const std::vector<int64_t>& symbols, std::size_t T);

}  // namespace mine
