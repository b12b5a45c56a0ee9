// The first two principal components of points in D dimensions: the directions in which the points vary most.
//
//   C = X^T X / V          X [V, D] minus the mean of each column, C [D, D]
//   v <- C v / |C v|       repeated: v converges to the direction with the largest variance
//   C <- C - l v v^T       with l = v^T C v, the variance along v; then the second direction in the same way
//
// (Power iteration: R. von Mises and H. Pollaczek-Geiringer, ZAMM 9, 1929. Deflation: H. Hotelling, 1933.)
#pragma once

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tensor/random.h"

namespace heed {

struct Projection {
  Tensor places;                 // [V, 2]
  double first = 0, second = 0;  // shares of the total variance
};
inline Projection project(const Tensor& points, int64_t iterations = 300) {  // [V, D]
  NoGrad guard;
  Variable x(points.to(DType::f64));
  x = x - mean(x, {0}, /*keep=*/true);
  auto D = x.size(1);
  Variable c = matmul(transpose(x, 0, 1), x) / static_cast<double>(x.size(0));
  double all = sum(diagonal(c)).item(), share[2] = {0, 0};
  std::vector<Variable> axes;
  Generator rng(1);  // the start does not matter unless it is orthogonal to the answer
  for (double& one : share) {
    Variable v(Tensor::uniform({D, 1}, rng, -1, 1, DType::f64));
    for (int64_t i = 0; i < iterations; ++i) {
      v = matmul(c, v);
      v = v / norm(v);
    }
    double variance = sum(v * matmul(c, v)).item();
    c = c - variance * matmul(v, transpose(v, 0, 1));
    one = variance / all;
    axes.push_back(select(matmul(x, v), 1, 0));
  }
  return {stack(axes, 1).value(), share[0], share[1]};
}

}  // namespace heed
