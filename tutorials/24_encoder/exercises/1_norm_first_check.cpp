// Hints and checks of exercise 24.1.
#include "tutorials/24_encoder/exercises/1_norm_first.h"

#include <fmt/format.h>

#include "nn/module.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Layer = nn::TransformerLayer;

void examine(app::Exercise& e) {
  Generator rng(3);
  Layer l({.model = 8, .heads = 2, .inner = 12, .norm_first = true}, rng);
  nn::convert(l, DType::f64);
  for (auto& parameter : nn::parameters(l))  // so that no two norms are equal, and each sub-layer is far from 0
    parameter.set_value(Tensor::normal(parameter.shape(), rng, 0, 1, DType::f64));
  for (double size : {1.0, 20.0}) {  // at 20 a norm in the wrong place shows
    Variable x(Tensor::normal({2, 5, 8}, rng, 0, size, DType::f64));
    e.check(fmt::format("the output of the layer for numbers of size {}, element ", size), mine::layer(l, x).value(),
            l(x).output.value(), 1e-10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 1, "Norm first");
  e.hint("What is on the residual path, past the sub-layer? With norm first nothing is: x reaches the sum unchanged.");
  e.hint("The sub-layer receives norm(x); x itself is added to its output.");
  e.hint("The second line uses the new x of the first.");
  e.insight(
      "With norm first a path without any norm leads from the output of a stack to its input, so gradients reach layer "
      "1\n"
      "undiminished, and deep stacks train without warm-up. Its price: x grows with depth, and the stack needs a last "
      "norm.",
      "./heed exercise 24 2");
  return e.run(argc, argv, examine);
}
