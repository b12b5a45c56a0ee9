// Exercise 33.3: read a picture between its places.
//
// A point (x, y) is given in parts of the width and of the height: 0 is the left or upper border, 1 the right or lower
// one. Place (row i, column j) of R x C is a square, and its centre is at
//
//   x = (j + 1/2) / C,   y = (i + 1/2) / R
//
// Between the centres of four places the value is interpolated: let u and v be how far the point is to the right of the
// left column and below the upper row, from 0 to 1. Then
//
//   value = (1 - v) ((1 - u) p_00 + u p_01) + v ((1 - u) p_10 + u p_11)       p_ab: a rows and b columns further
//
// Outside of the picture all values are 0. The derivatives of the value by x and y are what moves a learned point.
//
// Jaderberg et al., "Spatial transformer networks", NeurIPS 2015, eq. 5; Zhu et al., "Deformable DETR", ICLR 2021.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

struct Reading {
  double value = 0, by_x = 0, by_y = 0;  // and its derivatives
};
// p [R C], row after row. x and y may be anything, also outside of the picture.
Reading read_at(const std::vector<double>& p, int64_t R, int64_t C, double x, double y);

}  // namespace mine
