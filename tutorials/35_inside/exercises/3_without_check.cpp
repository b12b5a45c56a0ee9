// Hints and checks of exercise 35.3.
#include "tutorials/35_inside/exercises/3_without.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(353);
  for (auto [H, K, off] : {std::tuple{2, 3, 0}, {3, 4, 2}, {4, 5, 1}}) {
    const int D = H * K;
    const Tensor c = Tensor::normal({H, K}, rng).to(DType::f64), W = Tensor::normal({D, D}, rng).to(DType::f64);
    std::vector<mine::Numbers> contexts, rows;
    for (int h = 0; h < H; ++h) contexts.push_back(c.select(0, h).contiguous().to_vector());
    for (int i = 0; i < D; ++i) rows.push_back(W.select(0, i).contiguous().to_vector());
    // As the library does it: the outputs of the heads are multiplied by 1 or 0, then projected.
    Tensor factors = Tensor::ones({H, 1}, DType::f64);
    factors.set({off, 0}, 0);
    const Variable kept = reshape(Variable(c) * Variable(factors), {D, 1});
    const Tensor y = matmul(Variable(W), kept).value().contiguous();
    e.check(fmt::format("H = {}, K = {}, without head {}", H, K, off),
            mine::without_head(contexts, rows, static_cast<std::size_t>(off)), y.to_vector(), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("35", 3, "Switch a head off");
  e.hint("Columns h K to h K + K - 1 of W belong to head h.");
  e.hint("Leave out the products of the head with the number off, and change nothing else.");
  e.insight(
      "Setting the scores of a head to 0 would do something else: it would then read all places alike.\n"
      "./heed look --model DIR \"text\" --without 1.0 switches off head 0 of layer 1 as you did: its output becomes 0.",
      "./heed run 35");
  return e.run(argc, argv, examine);
}
