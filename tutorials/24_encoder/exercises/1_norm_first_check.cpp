// Hints, common mistakes and checks of exercise 24.1.
#include "tutorials/24_encoder/exercises/1_norm_first.h"

#include <fmt/format.h>

#include "nn/module.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Layer = nn::TransformerLayer;

Variable attend(const Layer& l, const Variable& x) { return (*l.self_attn)(x).output; }

const std::vector<app::Mistake<decltype(&mine::layer)>> mistakes{
    {"This is still norm last: each norm must be applied to the input of its sub-layer, not to the sum",
     [](const Layer& l, Variable x) {
       x = l.norm1(x + attend(l, x));
       return l.norm2(x + l.feed_forward(x));
     }},
    {"The residual path carries the normalised x: add the sub-layer's output to x itself",
     [](const Layer& l, Variable x) {
       x = l.norm1(x);
       x = x + attend(l, x);
       x = l.norm2(x);
       return x + l.feed_forward(x);
     }},
    {"The residual path is missing: add x to the output of each sub-layer",
     [](const Layer& l, Variable x) { return l.feed_forward(l.norm2(attend(l, l.norm1(x)))); }},
    {"You normalise the output of the sub-layers: the norm is applied to their input",
     [](const Layer& l, Variable x) {
       x = x + l.norm1(attend(l, x));
       return x + l.norm2(l.feed_forward(x));
     }},
    {"Your feed-forward network receives the input of the layer: it comes after attention and receives the new x",
     [](const Layer& l, Variable x) { return x + attend(l, l.norm1(x)) + l.feed_forward(l.norm2(x)); }},
    {"You used norm1 twice: the feed-forward network has a norm of its own, norm2",
     [](const Layer& l, Variable x) {
       x = x + attend(l, l.norm1(x));
       return x + l.feed_forward(l.norm1(x));
     }},
    {"The feed-forward network has no norm yet: it receives norm2(x)",
     [](const Layer& l, Variable x) {
       x = x + attend(l, l.norm1(x));
       return x + l.feed_forward(x);
     }},
    {"Attention is norm first, and the feed-forward network still norm last: x + feed_forward(norm2(x))",
     [](const Layer& l, Variable x) {
       x = x + attend(l, l.norm1(x));
       return l.norm2(x + l.feed_forward(x));
     }},
    {"The last sum forgets what attention added: x + attention(norm1(x)) is the new x of the second line",
     [](const Layer& l, Variable x) { return x + l.feed_forward(l.norm2(x + attend(l, l.norm1(x)))); }},
};

void examine(app::Exercise& e, const decltype(&mine::layer)& layer) {
  Generator rng(3);
  Layer l({.model = 8, .heads = 2, .inner = 12, .norm_first = true}, rng);
  nn::convert(l, DType::f64);
  for (auto& parameter : nn::parameters(l))  // so that no two norms are equal, and each sub-layer is far from 0
    parameter.set_value(Tensor::normal(parameter.shape(), rng, 0, 1, DType::f64));
  for (double size : {1.0, 20.0}) {  // at 20 a norm in the wrong place shows
    Variable x(Tensor::normal({2, 5, 8}, rng, 0, size, DType::f64));
    e.check(fmt::format("the output of the layer for numbers of size {}, element ", size), layer(l, x).value(),
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
  return e.run(argc, argv, mine::layer, examine, mistakes);
}
