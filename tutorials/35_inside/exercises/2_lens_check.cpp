// Hints and checks of exercise 35.2.
#include "tutorials/35_inside/exercises/2_lens.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/norm.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(352);
  for (auto [D, V, size] : {std::tuple{4, 3, 1.0}, {6, 5, 0.1}, {5, 4, 3.0}}) {
    const Tensor x = mul(Tensor::normal({D}, rng).to(DType::f64), size), W = Tensor::normal({V, D}, rng).to(DType::f64),
                 g = Tensor::uniform({D}, rng).to(DType::f64);
    const double eps = 1e-2;
    std::vector<mine::Numbers> rows;
    for (int v = 0; v < V; ++v) rows.push_back(W.select(0, v).contiguous().to_vector());
    // By the library: x / sqrt(mean of squares + e), times g.
    const Variable h = Variable(x) / sqrt(mean(square(Variable(x)), {-1}, true) + eps) * Variable(g);
    const Tensor p = softmax(matmul(Variable(W), unsqueeze(h, 1)), 0).value();
    e.check(fmt::format("D = {}, V = {}, size {}", D, V, size), mine::lens(x.to_vector(), g.to_vector(), rows, eps),
            p.contiguous().to_vector(), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("35", 2, "The logit lens");
  e.hint("First the mean of the squares of x. It is one number.");
  e.hint("h_i is x_i divided by the root of that mean plus e, times g_i.");
  e.insight(
      "Without the norm, the likeliest word may stay the same, but its probability does not: vectors grow from layer "
      "to "
      "layer,\nand the norm takes that away before the head of words reads them.",
      "./heed exercise 35 3");
  return e.run(argc, argv, examine);
}
