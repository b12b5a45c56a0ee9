// Hints and checks of exercise 24.3.
#include "tutorials/24_encoder/exercises/3_parameters.h"

#include <fmt/format.h>

#include "nn/transformer/transformer.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  struct Case {
    int64_t D, F, N, H;
  };
  for (const Case& c : {Case{8, 12, 1, 2}, Case{32, 64, 12, 4}, Case{32, 64, 12, 8}, Case{64, 256, 2, 4}}) {
    Generator rng(1);
    nn::TransformerStack stack(
        {.layer = {.model = c.D, .heads = c.H, .inner = c.F, .norm_first = true}, .layers = c.N, .final_norm = true},
        rng);
    e.check(fmt::format("the number of parameters for D = {}, F = {}, N = {} and {} heads", c.D, c.F, c.N, c.H),
            mine::parameters(static_cast<double>(c.D), static_cast<double>(c.F), static_cast<double>(c.N)),
            static_cast<double>(nn::count_parameters(stack)), 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 3, "How many parameters has an encoder?");
  e.hint("A projection from D to D has D^2 weights and D biases.");
  e.hint("The feed-forward network goes from D to F and back: its biases are F and D.");
  e.hint(
      "The heads do not count: they share the same D columns. Two norms per layer, and one at the end, of 2 D each.");
  e.insight(
      "Biases and norms are few: nearly everything is in the matrices, 4 D^2 + 2 D F per layer, and with F = 4 D two\n"
      "thirds of that are in the feed-forward network and one third in attention.",
      "./heed exercise 24 4");
  return e.run(argc, argv, examine);
}
