// Exercise 21.1: which word counts in the document?
//
//   s_m = sum_l w_ml h_ml           a sentence              w  [M, L], rows sum to 1
//   d   = sum_m v_m s_m             the document            v  [M], sums to 1
//
// Put the first line into the second: d = sum_m sum_l u_ml h_ml. Derive u, the weight of word l of sentence m in the
// document. The words' own weights w are wrong: a heavy word of a light sentence counts for little.
#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Tensor;

Tensor weights_in_document(const Tensor& w, const Tensor& v) {  // [M, L], [M] -> [M, L]
  // ---- the gap, filled ----
  return mul(w, v.unsqueeze(1));
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("21", 1, "Which word counts in the document?");
  e.hint("Every w_ml of sentence m is multiplied by the same number.");
  e.hint("v.unsqueeze(1) is [M, 1] and spreads over the words.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (int64_t M : {1, 4}) {
      Generator rng(static_cast<uint64_t>(M));
      int64_t L = 3, D = 2;
      Tensor w = softmax(Variable(nn::init::normal({M, L}, rng, {}, DType::f64)), 1).value();
      Tensor v = softmax(Variable(nn::init::normal({M}, rng, {}, DType::f64)), 0).value();
      Tensor h = nn::init::normal({M, L, D}, rng, {}, DType::f64);
      Tensor sentences = sum(mul(h, w.unsqueeze(2)), Dims{1});         // [M, D]
      Tensor document = sum(mul(sentences, v.unsqueeze(1)), Dims{0});  // [D]
      Tensor u = weights_in_document(w, v);
      e.check("the document", sum(mul(h, u.unsqueeze(2)), Dims{0, 1}), document, 1e-12);
      e.check("the sum of all weights", sum(u).item(), 1, 1e-12);
    }
  });
}
