// Products of matrices.
#pragma once

#include <vector>

#include "autograd/variable.h"
#include "tensor/matmul.h"

namespace heed {

// c = a b        a [.., M, K], b [.., K, N] -> c [.., M, N]; leading axes broadcast; vectors as in tensor/matmul.h
// da = dc b^T,  db = a^T dc: the only products whose shapes fit.
// 2 M N K FLOPs forward, 4 M N K back
Variable matmul(const Variable& a, const Variable& b);

// y = x w^T + bias       x [.., I], w [O, I], bias [O] or undefined -> y [.., O]
// dx = dy w,  dw = dy^T x,  dbias = sum dy over the R rows of x; 2 R I O FLOPs forward, 4 R I O back; saves x, w
// dw adds the rows in chains of 4096: with f32 and 10^6 equal rows its relative error is about 2e-5.
Variable linear(const Variable& x, const Variable& w, const Variable& bias);

// Keeps weight matrices packed between the steps of a loop, such as a search. Usually linear() copies w into the order
// in which the kernel reads it in every call, which takes a tenth of the time of greedy decoding with 64 rows. Inside a
// Step it does so once and keeps the copy. The results have the same bits.
//
//   PackedWeights packed;                                           one per thread
//   for each step: { PackedWeights::Step step(packed);  model(x); }
//
// At the end of a step, the matrices that this step did not use are dropped. A matrix that was written in place is
// packed again; code that writes through data<T>() must call mark_written(). The copies are freed with `packed`: a
// translator that runs several searches at once has them once per search.
//
// Packs only while nothing is recorded (NoGrad), for a contiguous x of at most 1,024 rows, f32 or f64, and not within
// PrecisionScope(Precision::bf16). All other products are computed as usual.
class PackedWeights {
 public:
  // While it lives, linear() of this thread uses `weights`, which must outlive it. Steps nest: the innermost one
  // counts.
  class Step {
   public:
    explicit Step(PackedWeights& weights) : weights_(weights), scope_(active(), &weights) {}
    ~Step();

   private:
    PackedWeights& weights_;
    ScopedValue<PackedWeights*> scope_;
  };
  int64_t count() const { return std::ssize(kept_); }  // of packed matrices

 private:
  friend Variable linear(const Variable& x, const Variable& w, const Variable& bias);
  // x w^T: x [.., I], w [O, I] -> [.., O], or an undefined tensor if there is no Step or w is not packed (see above).
  // The shapes fit.
  static Tensor product(const Tensor& x, const Tensor& w);
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
