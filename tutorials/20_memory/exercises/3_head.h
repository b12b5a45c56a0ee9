// Exercise 20.3: the head of a neural Turing machine.
//
//   w^c_i = softmax_i(strength cos(key, M_i))                     by content
//   w^g_i = gate w^c_i + (1 - gate) before_i                      or where it was
//   w~_i  = sum_r shift_r w^g_{i - r},   r = -R .. R              moved; cells are a circle: i - r modulo N
//   w_i   = w~_i^power / sum_j w~_j^power                         sharpened
//
// M [N][W] is the memory, `before` [N] the weights of the last step. shift [2R + 1] sums to 1; its middle entry is r =
// 0 and its last one r = R, which moves weight to higher cells. cos(a, b) = a . b / (|a| |b|); no vector is 0 here.
// Graves, Wayne and Danihelka, "Neural Turing machines", 2014, equations 5 to 9.
#pragma once

#include <vector>

namespace mine {

using Vector = std::vector<double>;

struct Control {
  Vector key;  // [W]
  double strength = 1, gate = 1;
  Vector shift = {1};  // [2R + 1]
  double power = 1;
};

Vector address(const Control& control, const std::vector<Vector>& M, const Vector& before);  // -> w [N]

}  // namespace mine
