// Hints and checks of exercise 17.1.
#include "tutorials/17_sparse/exercises/1_sparsemax.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tensor/tensor.h"
#include "tutorials/17_sparse/simplex.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using sparse::Row;

void examine(app::Exercise& e) {
  Generator rng(17);
  for (int64_t S : {2, 5, 8}) {
    for (double size : {0.3, 1.0, 3.0}) {
      const Row scores = Tensor::normal({S}, rng, 0.2, size, DType::f64).to_vector();
      e.check(fmt::format("{} scores of size {:g}, weight ", S, size), mine::sparsemax(scores),
              sparse::nearest_by_enumeration(scores), 1e-12);
    }
  }
  e.check("three equal scores, weight ", mine::sparsemax({0.4, 0.4, 0.4}), Row(3, 1.0 / 3), 1e-12);
  e.check("one key, weight ", mine::sparsemax({-3}), Row{1}, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("17", 1, "Sparsemax");
  e.hint("std::sort(v.begin(), v.end(), std::greater<>()) sorts in falling order.");
  e.hint("Add the sorted scores up one after the other; with each, test the condition for this k.");
  e.hint("if (1 + k * sorted[k - 1] > sum) tau = (sum - 1) / k; the last k that passes wins.");
  e.insight(
      "A shift and a cut at 0: these are the weights nearest to the scores. The checks compared yours with a search\n"
      "through all 2^S - 1 supports, which your sort makes unnecessary.",
      "./heed exercise 17 2");
  return e.run(argc, argv, examine);
}
