// The kernels of layer_norm and rms_norm, which normalise each row of N numbers.
//
//   layer norm   m = mean x,  r = 1 / sqrt(mean (x - m)^2 + eps)        (Ba, Kiros and Hinton 2016, eq. 3)
//   RMS norm     m = 0,       r = 1 / sqrt(mean x^2 + eps)              (Zhang and Sennrich, NeurIPS 2019, eq. 4)
//   n_i = (x_i - m) r,  y_i = n_i w_i + b_i
//
// Where the squares of a row leave the range of the type, it is computed from x / u and eps / u^2, which give the same
// n (see tensor/range.h). A row whose mean is more than 16 times its standard deviation is computed from x - m, whose
// own mean is the rounding error of m.
//
// RMS norm is layer norm without the mean, so one kernel computes both. R rows, N elements in each. Sums run over fixed
// lanes, so that the bits do not depend on threads or on R.
#pragma once

#include "tensor/tensor.h"

namespace heed {

enum class Centre { mean, zero };  // what is subtracted: the mean (layer norm), nothing (RMS norm)

struct NormRows {
  Tensor y;           // [R, N]
  Tensor m, r;        // [R]: what the gradient needs, both of the row (x - shift) s
  Tensor s = {};      // [R, 1] powers of two, 1 / u; undefined: 1
  Tensor shift = {};  // [R, 1]; undefined: 0
};
// x [R, N]; w, b [N] or undefined (1 and 0). f32, f64.
NormRows norm_rows(const Tensor& x, const Tensor& w, const Tensor& b, double eps, Centre centre);

// With u = dy w:   dx = r (u - mean u - n mean(u n)), without the mean of u for the RMS norm.
Tensor norm_rows_backward(const Tensor& x, const Tensor& w, const NormRows& forward, const Tensor& dy, Centre centre);
// dw = sum of dy n over the rows, in their order. [N]
Tensor norm_rows_weight(const Tensor& x, const NormRows& forward, const Tensor& dy);

}  // namespace heed
