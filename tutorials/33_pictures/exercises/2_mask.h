// Exercise 33.2: the mask of a shifted window.
//
// Rolling a picture moves every place up and to the left by M / 2, and what leaves on one side enters on the other. The
// rolled picture is cut into windows of M x M places, and M divides R and C. The windows at the lower and the right
// border then have places from opposite sides of the picture. They must not attend to each other.
//
//   one axis of 6 places, M = 2    places      0 1 2 3 4 5
//                                  rolled      1 2|3 4|5 0       5 and 0 are in one window, but were never neighbours
//
// Two places of a window may attend to each other if they lie in the same part along both axes: on the same side of the
// seam.
//
// Liu et al., "Swin transformer", ICCV 2021, figure 4.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

// May slot i of a window attend to slot j? [N, M M, M M], windows and slots numbered row after row, in the rolled
// picture. N = (R / M) (C / M)
using Mask = std::vector<std::vector<std::vector<bool>>>;
Mask shifted_mask(int64_t R, int64_t C, int64_t M);

}  // namespace mine
