// Hints and checks of exercise 06.2.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/clip.h"
#include "tensor/random.h"
#include "tutorials/06_optimisers/exercises/2_clip.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Gradients;

void examine(app::Exercise& e) {
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
      Gradients mine = mine::clipped(given, limit);
      e.check("the number of tensors", static_cast<double>(mine.size()), static_cast<double>(given.size()), 0);
      for (std::size_t i = 0; i < std::min(mine.size(), given.size()); ++i)
        e.check(fmt::format("gradient {} of {}, clipped at {}", i + 1, given.size(), limit), mine[i],
                leaves[i].variable.grad().to_vector(), 1e-5);
    }
  e.check("a gradient of zeros", mine::clipped({{0, 0}, {0}}, 1).at(0), {0, 0}, 0);
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
  return e.run(argc, argv, examine);
}
