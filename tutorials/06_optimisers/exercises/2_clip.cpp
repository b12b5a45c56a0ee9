// Exercise 06.2: clipping by the common norm.
//
//   n = sqrt(sum over all tensors and all elements of g^2)
//   every g <- g min(1, limit / n)
//
// What stands in the gap clips each tensor by its own norm. Every tensor is then small enough, but the step points
// somewhere else: the large gradients are cut, the small ones not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/clip.h"
#include "tutorials/common/exercise.h"

namespace {

using Gradients = std::vector<std::vector<double>>;  // of each tensor, its elements

Gradients clipped(Gradients gradients, double limit) {
  // ---- the gap: one norm for all ----
  for (auto& tensor : gradients) {
    double squares = 0;
    for (double g : tensor) squares += g * g;
    double norm = std::sqrt(squares);
    if (norm > limit)
      for (double& g : tensor) g *= limit / norm;
  }
  return gradients;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("06", 2, "Clipping by the common norm");
  e.hint("Two walks: the first adds up the squares of all tensors, the second scales.");
  e.hint("All elements get the same factor, so the direction stays.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    const std::vector<Gradients> tries{
        {{3, 4}, {0, 12}}, {{0.1, -0.2}, {0.05}}, {{300}, {0.4, -0.3}, {1e-3}}, {{0, 0}, {0}}};
    for (const Gradients& given : tries)
      for (double limit : {1.0, 6.5}) {
        std::vector<NamedVariable> leaves;
        for (const auto& g : given) {
          auto n = static_cast<std::int64_t>(g.size());
          Variable w(Tensor::zeros({n}, DType::f64), Variable::kRequiresGrad);
          backward(sum(w * Variable(Tensor::from(g, {n}))));  // the gradient is g
          leaves.push_back({fmt::format("w{}", leaves.size()), w});
        }
        nn::clip_grad_norm(leaves, limit);
        Gradients mine = clipped(given, limit);
        e.check("the number of tensors", static_cast<double>(mine.size()), static_cast<double>(given.size()), 0);
        for (std::size_t i = 0; i < std::min(mine.size(), given.size()); ++i)
          e.check(fmt::format("gradient {} of {}, clipped at {},", i, given.size(), limit), mine[i],
                  leaves[i].variable.grad().to_vector(), 1e-5);
      }
  });
}
