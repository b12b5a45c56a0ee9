// Which product of dC and B is the gradient of A, for C = A B? The shapes tell, if the sizes differ.
//
//   {dC, dC^T} and {B, B^T} in both orders: eight products.     A [M, K], B [K, N], dC [M, N]
#pragma once

#include <string>

#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tutorials/03_tensor_autograd/differences.h"

namespace heed {

struct Products {
  int shape_fits = 0;   // products that have the shape of A
  int right = 0;        // how many of these are the gradient
  std::string formula;  // of the last right one
  std::string control;  // the same count for equal sizes, in words
};

inline Products gradients_of_a(int64_t M, int64_t K, int64_t N, double step, Generator& rng) {
  Tensor a = Tensor::uniform({M, K}, rng, -1, 1, DType::f64), b = Tensor::uniform({K, N}, rng, -1, 1, DType::f64);
  Tensor dc = Tensor::uniform({M, N}, rng, -1, 1, DType::f64);
  // With L = sum dC (A B) the gradient that arrives at C is dC.
  Tensor numeric = by_differences([&](const Tensor& at) { return sum(mul(dc, matmul(at, b))).item(); }, a, step);
  Products found;
  for (int choice = 0; choice < 8; ++choice) {
    Tensor p = choice & 1 ? dc.transpose(0, 1) : dc, q = choice & 2 ? b.transpose(0, 1) : b;
    std::string left = choice & 1 ? "dC^T" : "dC", right = choice & 2 ? "B^T" : "B";
    if (choice & 4) std::swap(p, q), std::swap(left, right);
    if (p.size(1) != q.size(0) || p.size(0) != M || q.size(1) != K) continue;
    ++found.shape_fits;
    if (relative_error(matmul(p, q), numeric) > 1e-4) continue;
    ++found.right;
    found.formula = left + " " + right;
  }
  return found;
}

}  // namespace heed
