// Products of matrices.
#pragma once

#include <vector>

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

// The weights that linear() has packed for a loop whose steps use the same ones, such as a search: in every step each w
// would be copied into the order in which the kernel reads it, which takes a fifth of a step of 64 rows. The same bits.
//
//   PackedWeights packed;                                           one per thread
//   for each step: { PackedWeights::Step step(packed);  model(x); }
//
// A matrix that a step has not used is dropped at its end, one that was written in place is packed again, and all stay
// in memory as long as `packed` lives. Only what needs no gradient is packed, only f32 and f64 products of at most 256
// rows, and not those in bf16 (tensor/matmul.h).
class PackedWeights {
 public:
  class Step {
   public:
    explicit Step(PackedWeights& weights) : scope_(active(), &weights) {}
    ~Step();

   private:
    ScopedValue<PackedWeights*> scope_;
  };
  // x w^T, where the innermost Step of this thread has w or may pack it; else an undefined tensor.
  static Tensor product(const Tensor& x, const Tensor& w);
  int64_t count() const { return std::ssize(kept_); }

 private:
  static PackedWeights*& active();
  struct Kept {
    Tensor w;
    uint32_t version;
    PackedMatrix packed;
    bool used;
  };
  std::vector<Kept> kept_;
};

}  // namespace heed
