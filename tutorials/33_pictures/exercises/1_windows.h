// Exercise 33.1: cut a picture into windows, and put it together again.
//
// A picture of R rows and C columns is stored row after row: place t is row t / C, column t % C. It is cut into windows
// of M x M places, from the upper left corner on. If M does not divide R or C, the last windows end outside of the
// picture, and have slots without a place.
//
//   R = 3, C = 5, M = 2      0  1 | 2  3 | 4  .      window 0 has the places 0, 1, 5, 6;
//                            5  6 | 7  8 | 9  .      window 2 has 4, none, 9, none;
//                           ------+------+------     window 5 has 14, none, none, none
//                           10 11 |12 13 |14  .
//                            .  . | .  . | .  .
//
// Liu et al., "Swin transformer", ICCV 2021, section 3.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mine {

// The place of each slot, -1 where there is none. Windows and the slots of a window are numbered row after row.
// N = windows down times windows across; [N, M M].
std::vector<std::vector<int64_t>> cut(int64_t R, int64_t C, int64_t M);

// `values` has a number for each slot, [N, M M], those without a place included. -> a number for each place, [R C]
std::vector<double> put_together(const std::vector<std::vector<double>>& values, int64_t R, int64_t C, int64_t M);

}  // namespace mine
