// Hints, common mistakes and checks of exercise 06.2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/clip.h"
#include "tensor/random.h"
#include "tutorials/06_optimisers/exercises/2_clip.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Gradients;

double norm_of(const std::vector<double>& tensor) {
  return std::sqrt(std::inner_product(tensor.begin(), tensor.end(), tensor.begin(), 0.0));
}
std::vector<double> flat(const Gradients& gradients) {
  std::vector<double> all;
  for (const auto& tensor : gradients) all.insert(all.end(), tensor.begin(), tensor.end());
  return all;
}
Gradients scaled(Gradients gradients, double factor) {
  for (auto& tensor : gradients)
    for (double& g : tensor) g *= factor;
  return gradients;
}
// The right rule with another norm.
Gradients by_norm(const Gradients& gradients, double limit, double norm) {
  return norm > limit ? scaled(gradients, limit / norm) : gradients;
}

const std::vector<app::Mistake<decltype(&mine::clipped)>> mistakes{
    {"Each tensor is clipped by its own norm (the gap as it was does this): add up the squares of all tensors first",
     [](Gradients gradients, double limit) {
       for (auto& tensor : gradients) tensor = by_norm({tensor}, limit, norm_of(tensor))[0];
       return gradients;
     }},
    {"The gradients are scaled while the squares are still being added: finish the sum over all tensors, then scale",
     [](Gradients gradients, double limit) {
       double squares = 0;
       for (auto& tensor : gradients) {
         squares += norm_of(tensor) * norm_of(tensor);
         tensor = by_norm({tensor}, limit, std::sqrt(squares))[0];
       }
       return gradients;
     }},
    {"Gradients below the limit are made larger: scale only if n > limit",
     [](Gradients gradients, double limit) { return scaled(gradients, limit / norm_of(flat(gradients))); }},
    {"The root is missing: n is the square root of the sum of squares",
     [](Gradients gradients, double limit) {
       return by_norm(gradients, limit, norm_of(flat(gradients)) * norm_of(flat(gradients)));
     }},
    {"n is the sum of the tensors' norms: add the squares, and take one root at the end",
     [](Gradients gradients, double limit) {
       double sum = 0;
       for (const auto& tensor : gradients) sum += norm_of(tensor);
       return by_norm(gradients, limit, sum);
     }},
    {"n is the sum of the absolute values: add the squares, and take the root",
     [](Gradients gradients, double limit) {
       double sum = 0;
       for (double g : flat(gradients)) sum += std::abs(g);
       return by_norm(gradients, limit, sum);
     }},
    {"n is the root of the mean of the squares: it is the root of their sum, so do not divide by their number",
     [](Gradients gradients, double limit) {
       std::vector<double> all = flat(gradients);
       return by_norm(gradients, limit, norm_of(all) / std::sqrt(static_cast<double>(all.size())));
     }},
    {"Each element is cut to [-limit, limit] by itself: that changes the direction. Give all elements one factor",
     [](Gradients gradients, double limit) {
       for (auto& tensor : gradients)
         for (double& g : tensor) g = std::clamp(g, -limit, limit);
       return gradients;
     }},
    {"The norm becomes 1 and not `limit`: the factor is limit / n",
     [](Gradients gradients, double limit) {
       double norm = norm_of(flat(gradients));
       return norm > limit ? scaled(gradients, 1 / norm) : gradients;
     }},
};

void examine(app::Exercise& e, const decltype(&mine::clipped)& clipped) {
  Generator rng(1);
  auto normal = [&](int64_t n) { return Tensor::normal({n}, rng, 0, 1, DType::f64).to_vector(); };
  const std::vector<Gradients> tries{
      {{3, 4}, {0, 12}}, {normal(2), normal(5), normal(3)}, {{300}, {0.4, -0.3}, {1e-3}}, {{0.1, -0.2}, {0.05}}};
  for (const Gradients& given : tries)
    for (double limit : {1.0, 6.5}) {
      std::vector<NamedVariable> leaves;
      for (const auto& g : given) {
        auto n = static_cast<int64_t>(g.size());
        Variable w(Tensor::zeros({n}, DType::f64), Variable::kRequiresGrad);
        backward(sum(w * Variable(Tensor::from(g, {n}))));  // the gradient is g
        leaves.push_back({fmt::format("w{}", leaves.size()), w});
      }
      nn::clip_grad_norm(leaves, limit);
      Gradients mine = clipped(given, limit);
      e.check("the number of tensors", static_cast<double>(mine.size()), static_cast<double>(given.size()), 0);
      for (std::size_t i = 0; i < std::min(mine.size(), given.size()); ++i)
        e.check(fmt::format("gradient {} of {}, clipped at {}", i + 1, given.size(), limit), mine[i],
                leaves[i].variable.grad().to_vector(), 1e-5);
    }
  e.check("a gradient of zeros", clipped({{0, 0}, {0}}, 1).at(0), {0, 0}, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("06", 2, "Clipping by the common norm");
  e.hint("Use two loops over the tensors: the first adds up the squares of all, the second scales.");
  e.hint("If n <= limit, nothing changes. This also avoids a division by 0 when all gradients are 0.");
  e.insight(
      "One factor for all gradients shortens the step and keeps its direction. A limit for each tensor or each "
      "element\n"
      "would turn the step towards the small gradients.",
      "./heed exercise 06 3");
  return e.run(argc, argv, mine::clipped, examine, mistakes);
}
