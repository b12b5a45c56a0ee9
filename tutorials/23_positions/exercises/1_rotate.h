// Exercise 23.1: rotate by the position.
//
//   y_1 = x_1 cos(p t) - x_2 sin(p t)        y_2 = x_1 sin(p t) + x_2 cos(p t)        p position, t angle per position
//
// The dot product of a rotated query and a rotated key must depend on their distance only, not on where they are.
// RoPE: Su et al., 2021 (RoFormer), section 3.2.1.
#pragma once

#include <array>

namespace mine {

using Pair = std::array<double, 2>;

Pair turned(const Pair& x, double p, double t);

}  // namespace mine
