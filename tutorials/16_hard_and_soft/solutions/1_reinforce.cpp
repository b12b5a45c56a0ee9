// Exercise 16.1: a loss whose gradient is the estimator.
//
//   g(z) = d log p(y | z) + (log p(y | z) - b) d log p(z)
//
// Write a number for one caption whose derivative is g(z). log p(y | z) and log p(z) are given, [] each. The reward in
// the bracket is a plain number: no gradient may pass through it. The checks count all choices of a small game.
// log p(y | z) alone forgets that the choice depends on the parameters, too.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Variable;

Variable surrogate(const Variable& log_likelihood, const Variable& log_choice, double b) {
  // ---- the gap, filled ----
  return log_likelihood + (log_likelihood.detach() - b) * log_choice;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("16", 1, "A loss whose gradient is the estimator");
  e.hint("Differentiate a product of two terms, one of them a constant: what is left?");
  e.hint("x.detach() has the value of x and no gradient.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (int64_t S : {2, 4}) {
      Generator rng(static_cast<uint64_t>(S));
      Variable scores(nn::init::normal({S}, rng, {}, DType::f64), Variable::kRequiresGrad);
      Variable values(nn::init::normal({S}, rng, {}, DType::f64), Variable::kRequiresGrad);
      auto log_p = [&] { return log_softmax(scores, 0); };                       // of the choices, [S]
      auto says = [&](int64_t z) { return -square(select(values, 0, z) - 2); };  // log p(y | z)
      Variable expected(Tensor::zeros({}, DType::f64));
      for (int64_t z = 0; z < S; ++z) expected = expected + exp(select(log_p(), 0, z)) * says(z);
      std::vector<Variable> exact = grad({expected}, {scores, values});
      for (double b : {0.0, -3.0}) {
        Tensor by_scores = Tensor::zeros({S}, DType::f64), by_values = by_scores.clone();
        for (int64_t z = 0; z < S; ++z) {
          double share = std::exp(select(log_p(), 0, z).item());
          std::vector<Variable> g =
              grad({surrogate(says(z), select(log_p(), 0, z), b)}, {scores, values}, {.allow_unused = true});
          if (g[0].defined()) add_into(by_scores, g[0].value(), share);
          if (g[1].defined()) add_into(by_values, g[1].value(), share);
        }
        std::string with = fmt::format(" with {} choices and b = {:g}", S, b);
        e.check("the expected gradient by the scores" + with, by_scores, exact[0].value(), 1e-12);
        e.check("the expected gradient by the values" + with, by_values, exact[1].value(), 1e-12);
      }
    }
  });
}
