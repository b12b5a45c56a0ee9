// Exercise 03.2: the gradients of a matrix product.
//
//   C = A B       A [M, K], B [K, N], C [M, N]       C_mn = sum_k A_mk B_kn
//
// dC is dL/dC, the gradient that arrives. Derive dL/dA and dL/dB and write them with matmul and transpose; each must
// have the shape of its matrix. Then the batched case, which occurs in every layer: A [batch, M, K] with one B [K, N]
// for the whole batch. Its C is [batch, M, N], and B was used in each of the products.
// Source: M. Giles, "Collected matrix derivative results for forward and reverse mode AD", 2008, section 2.2.2.
#pragma once

#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/tensor.h"

namespace mine {

struct Gradients {
  heed::Tensor da, db;  // with the shapes of a and b
};

// a [.., M, K], b [K, N], dc [.., M, N]; the two dots are nothing or a batch.
Gradients matmul_gradients(const heed::Tensor& a, const heed::Tensor& b, const heed::Tensor& dc);

}  // namespace mine
