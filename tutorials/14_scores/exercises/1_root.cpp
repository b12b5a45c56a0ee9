// Exercise 14.1: the right root.
//
//   e = q . k / (what keeps the variance of e at 1),      q and k [d], normal numbers
//
// What stands in the gap divides by d. The checks compare with the library's score and measure the variance.
#include <fmt/format.h>

#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scores/score.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Tensor;

// q [B, T, d], k [B, S, d] -> [B, T, S]
Tensor scores(const Tensor& q, const Tensor& k) {
  auto d = static_cast<double>(q.size(2));
  // ---- the gap: another divisor ----
  return div(matmul(q, k.transpose(1, 2)), d);
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("14", 1, "The right root");
  e.hint("The variance of a sum of d independent terms is d times that of one. What is it after a division by c?");
  e.hint("Dividing by c divides the variance by c squared.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    NoGrad guard;
    for (int64_t d : {4, 64, 256}) {
      Generator rng(1);
      Tensor q = Tensor::normal({200, 16, d}, rng), k = Tensor::normal({200, 16, d}, rng);
      Tensor mine = scores(q, k);
      auto theirs = nn::make_score({.name = "scaled_dot", .query = d, .key = d}, rng);
      e.check(fmt::format("the variance of the scores, d = {}", d), heed::mean(mul(mine, mine)).item(), 1.0, 0.05);
      e.check(fmt::format("the scores, d = {}", d), mine, (*theirs)(Variable(q), Variable(k)).value(), 1e-5);
    }
  });
}
