// Hints, common mistakes and checks of exercise 24.3.
#include "tutorials/24_encoder/exercises/3_parameters.h"

#include <fmt/format.h>

#include <vector>

#include "nn/transformer/transformer_layer.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

double attention(double D) { return 4 * D * D + 4 * D; }
double feed_forward(double D, double F) { return 2 * D * F + F + D; }

const std::vector<app::Mistake<decltype(&mine::parameters)>> mistakes{
    {"These are the matrices only: add the biases and the norms",
     [](double D, double F, double N) { return N * (4 * D * D + 2 * D * F); }},
    {"The norms are missing: two per layer and one at the end, 2 D parameters each",
     [](double D, double F, double N) { return N * (attention(D) + feed_forward(D, F)); }},
    {"The last norm is missing: a norm-first stack has one more norm after its last layer",
     [](double D, double F, double N) { return N * (attention(D) + feed_forward(D, F) + 4 * D); }},
    {"The last norm is counted N times: the stack has it once",
     [](double D, double F, double N) { return N * (attention(D) + feed_forward(D, F) + 6 * D); }},
    {"Each layer has two norms, one per sub-layer: you counted one",
     [](double D, double F, double N) { return N * (attention(D) + feed_forward(D, F) + 2 * D) + 2 * D; }},
    {"A norm has a weight and a bias: 2 D parameters, not D",
     [](double D, double F, double N) { return N * (attention(D) + feed_forward(D, F) + 2 * D) + D; }},
    {"Attention has four projections: of queries, keys and values, and the one of its output",
     [](double D, double F, double N) { return N * (3 * D * D + 3 * D + feed_forward(D, F) + 4 * D) + 2 * D; }},
    {"The biases of the projections of attention are missing: 4 D per layer",
     [](double D, double F, double N) { return N * (4 * D * D + feed_forward(D, F) + 4 * D) + 2 * D; }},
    {"The biases of the feed-forward network are missing: F and D per layer",
     [](double D, double F, double N) { return N * (attention(D) + 2 * D * F + 4 * D) + 2 * D; }},
    {"The second layer of the feed-forward network has D biases, one per output: you counted F twice",
     [](double D, double F, double N) { return N * (attention(D) + 2 * D * F + 2 * F + 4 * D) + 2 * D; }},
    {"The feed-forward network has two matrices, D F weights each: you counted one",
     [](double D, double F, double N) { return N * (attention(D) + D * F + F + D + 4 * D) + 2 * D; }},
};

void examine(app::Exercise& e, const decltype(&mine::parameters)& parameters) {
  struct Case {
    int64_t D, F, N, H;
  };
  for (const Case& c : {Case{8, 12, 1, 2}, Case{32, 64, 12, 4}, Case{32, 64, 12, 8}, Case{64, 256, 2, 4}}) {
    Generator rng(1);
    nn::TransformerStack stack(
        {.layer = {.model = c.D, .heads = c.H, .inner = c.F, .norm_first = true}, .layers = c.N, .final_norm = true},
        rng);
    e.check(fmt::format("the number of parameters for D = {}, F = {}, N = {} and {} heads", c.D, c.F, c.N, c.H),
            parameters(static_cast<double>(c.D), static_cast<double>(c.F), static_cast<double>(c.N)),
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
  return e.run(argc, argv, mine::parameters, examine, mistakes);
}
