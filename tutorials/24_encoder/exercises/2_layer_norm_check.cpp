// Hints and checks of exercise 24.2.
#include "tutorials/24_encoder/exercises/2_layer_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/norm.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Numbers = std::vector<double>;

void examine(app::Exercise& e) {
  for (const Numbers& x :
       {Numbers{1, 2, 3, 4, 5, 6, 7, 8}, Numbers{0.1, -4, 2.5}, Numbers{5, 5, 5, 5}, Numbers{1, 1.001}}) {
    auto d = static_cast<int64_t>(x.size());
    Generator rng(1);
    nn::LayerNorm norm({.shape = {d}, .affine = false}, rng);
    e.check(fmt::format("the norm of the {} numbers that begin with {}, number ", d, x[0]), mine::layer_norm(x, 1e-5),
            norm(Variable(Tensor::from(x, {d}))).value().to_vector(), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 2, "What does a norm divide by?");
  e.hint("d - 1 serves to estimate the spread of a population from a sample. Here the d numbers are all there are.");
  e.hint("Two numbers that hardly differ show where eps belongs: inside the root.");
  e.hint("std::sqrt(squares / d + eps).");
  e.insight(
      "With d - 1 each number of a width of 8 is 0.9354 times as large: weights from PyTorch would still run, and "
      "give\n"
      "slightly wrong results. eps inside the root matters only where the numbers are nearly equal.",
      "./heed exercise 24 3");
  return e.run(argc, argv, examine);
}
