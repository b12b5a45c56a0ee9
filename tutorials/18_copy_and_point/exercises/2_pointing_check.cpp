// Hints and checks of exercise 18.2.
#include "tutorials/18_copy_and_point/exercises/2_pointing.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Row = std::vector<double>;
using Table = std::vector<Row>;
using Ids = std::vector<std::size_t>;

void examine(app::Exercise& e) {
  for (double size : {1.0, 300.0}) {
    for (int64_t S : {4, 6}) {
      Generator rng(static_cast<uint64_t>(S));
      Tensor scores = Tensor::normal({S, S}, rng, 0.7, size, DType::f64);
      Ids z(static_cast<std::size_t>(S));
      std::iota(z.begin(), z.end(), std::size_t{0});
      rng.shuffle(z);
      Table table;
      Row expected;
      Tensor open = scores.clone();
      for (int64_t t = 0; t < S; ++t) {
        table.push_back(scores.select(0, t).contiguous().to_vector());
        const auto chosen = static_cast<int64_t>(z[static_cast<std::size_t>(t)]);
        expected.push_back(log_softmax(Variable(open.select(0, t).contiguous()), 0).value().at({chosen}));
        for (int64_t later = t; later < S; ++later) open.set({later, chosen}, -INFINITY);
      }
      e.check(fmt::format("{} positions, scores of size {:g}, log p of step ", S, size),
              mine::log_probabilities(table, z), expected, 1e-12);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("18", 2, "The probability of an order");
  e.hint("Keep a std::vector<bool> used(S, false), and set used[z[t]] at the end of step t.");
  e.hint("Two loops for each step: the maximum of the unused scores, then the sum of exp(score - maximum).");
  e.hint("log p = e[t][z[t]] - maximum - log(sum).");
  e.insight(
      "The last step has one position left, so its log-probability is 0. The sum of all of them is the "
      "log-probability\n"
      "of the whole order, and over all S! orders these probabilities sum to 1: without the mask, they would not.",
      "./heed exercise 18 3");
  return e.run(argc, argv, examine);
}
