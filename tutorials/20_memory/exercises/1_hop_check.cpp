// Hints and checks of exercise 20.1.
#include "tutorials/20_memory/exercises/1_hop.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/attention/structures/memory_network.h"
#include "tensor/compare.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  for (uint64_t seed : {1u, 2u}) {
    Generator rng(seed);
    const int64_t B = 3, N = 5 + static_cast<int64_t>(seed), D = 4;
    Variable u(Tensor::normal({B, D}, rng, 0, 1, DType::f64)), m(Tensor::normal({B, N, D}, rng, 0, 1, DType::f64)),
        c(Tensor::normal({B, N, D}, rng, 0, 1, DType::f64));
    std::vector<int64_t> lengths{N, 2, N - 2};
    Tensor there = less(Tensor::arange(N).unsqueeze(0), Tensor::from(lengths, {B, 1}));
    Variable read = squeeze(nn::memory_read(unsqueeze(u, 1), m, c, there.unsqueeze(1)).context, 1);
    e.check(fmt::format("the question after one hop over {} entries, against the library, element ", N),
            mine::hop(u, m, c, there).value(), (u + read).value(), 1e-12);
  }
  // Two hops over a memory of three: from x to y, and from y to z, with one-hot symbols times 20.
  Variable x(Tensor::from(std::vector<double>{20, 0, 0, 0}, {1, 4}));
  Variable from(Tensor::from(std::vector<double>{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, {1, 3, 4}));
  Variable to(Tensor::from(std::vector<double>{0, 0, 40, 0, 0, 40, 0, 0, 0, 0, 0, 40}, {1, 3, 4}));
  Tensor there = less(Tensor::arange(3), 3).unsqueeze(0);
  e.check("the question after two hops from x to y to z, element ",
          mine::hop(mine::hop(x, from, to, there), from, to, there).value(),
          Tensor::from(std::vector<double>{20, 40, 40, 0}, {1, 4}), 1e-5);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("20", 1, "One hop");
  e.hint("The scores: unsqueeze(u, 1) * m has the shape [B, N, D]; sum over its last axis.");
  e.hint("masked_fill(scores, logical_not(there), -INFINITY), then softmax over axis 1.");
  e.hint("o: unsqueeze the weights to [B, N, 1], multiply by c, sum over axis 1. Return u + o.");
  e.insight(
      "One hop is a soft look-up whose result is added to the question.\n"
      "The second hop asks a question that contains the answer of the first.",
      "./heed exercise 20 2");
  return e.run(argc, argv, examine);
}
