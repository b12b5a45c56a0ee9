// Exercise 24.3: how many numbers has an encoder?
//
// Width D, inner width F, N layers, norm first with a norm at the end. Derive the number of parameters of the stack in
// closed form: four projections with biases, two layers of the feed-forward network with biases, two norms with weight
// and bias, N times; and the last norm.
//
// What stands in the gap has the matrices only. The checks count those of nn::TransformerStack.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/transformer/transformer_layer.h"
#include "tutorials/common/exercise.h"

namespace {

double parameters(double D, double F, double N) {
  // ---- the gap: biases and norms ----
  return N * (4 * D * D + 2 * D * F);
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 3, "How many numbers has an encoder?");
  e.hint("A projection from D to D has D^2 weights and D biases.");
  e.hint("The feed-forward network goes from D to F and back: its biases are F and D.");
  e.hint("The heads do not count: they cut the same D.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (auto [D, F, N, H] : {std::tuple{8, 12, 1, 2}, {32, 64, 12, 4}, {32, 64, 12, 8}, {64, 256, 2, 4}}) {
      Generator rng(1);
      nn::TransformerStack stack(
          {.layer = {.model = D, .heads = H, .inner = F, .norm_first = true}, .layers = N, .final_norm = true}, rng);
      e.check(fmt::format("the parameters for D = {}, F = {}, N = {}", D, F, N), parameters(D, F, N),
              static_cast<double>(nn::count_parameters(stack)), 0);
    }
  });
}
