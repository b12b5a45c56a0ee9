// Products of matrices.
#pragma once

#include "autograd/variable.h"
#include "tensor/matmul.h"

namespace heed {

// c = a b        a [.., M, K], b [.., K, N] -> c [.., M, N]; leading axes broadcast; vectors as in tensor/matmul.h
// da = dc b^T,  db = a^T dc: the only arrangement of the three shapes that fits.
// 2 M N K FLOPs forward, 4 M N K back
Variable matmul(const Variable& a, const Variable& b);

// y = x w^T + bias       x [.., I], w [O, I], bias [O] or undefined -> y [.., O]
// dx = dy w,  dw = dy^T x,  dbias = sum dy over the R rows of x; 2 R I O FLOPs forward, 4 R I O back; saves x, w
// dw adds the rows in chains of 4096: with f32 and 10^6 equal rows its relative error is about 2e-5.
Variable linear(const Variable& x, const Variable& w, const Variable& bias);

}  // namespace heed
