// Exercise 24.1: norm first.
//
//   x <- x + attention(norm1(x))
//   x <- x + feed_forward(norm2(x))
//
// What stands in the gap is the layer of the paper, norm last. Turn it into that of its code.
// The checks compare it with nn::TransformerLayer, with the same parameters.
#include <string>

#include "autograd/ops.h"
#include "nn/transformer/transformer_layer.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Variable;

// x [B, T, D] -> [B, T, D]; no mask, no dropout.
Variable layer(const heed::nn::TransformerLayer& l, Variable x) {
  // ---- the gap: each norm before its sub-layer ----
  x = l.norm1(x + l.self_attn(x).output);
  return l.norm2(x + l.feed_forward(x));
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 1, "Norm first");
  e.hint("What stands on the path past the sub-layer? Nothing may.");
  e.hint("The sub-layer sees norm(x); to what it says, x itself is added.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    Generator rng(3);
    nn::TransformerLayer l({.model = 8, .heads = 2, .inner = 12, .norm_first = true}, rng);
    for (double size : {1.0, 20.0}) {  // at 20 a norm in the wrong place shows
      Variable x(Tensor::normal({2, 5, 8}, rng, 0, size));
      e.check("the output of the layer for numbers of size " + std::to_string(static_cast<int>(size)),
              layer(l, x).value(), l(x).output.value(), 1e-5);
    }
  });
}
