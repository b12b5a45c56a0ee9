// Hints and checks of exercise 17.2.
#include "tutorials/17_sparse/exercises/2_gradient.h"

#include <fmt/format.h>

#include "tensor/tensor.h"
#include "tutorials/17_sparse/simplex.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using sparse::Row;

void examine(app::Exercise& e) {
  Generator rng(18);
  for (int64_t S : {3, 6, 9}) {
    const Row scores = Tensor::normal({S}, rng, 0, 0.6, DType::f64).to_vector();
    const Row dw = Tensor::normal({S}, rng, 0.5, 1, DType::f64).to_vector();
    Row numeric;
    for (std::size_t r = 0; r < scores.size(); ++r) {
      Row up = scores, down = scores;
      up[r] += 1e-6, down[r] -= 1e-6;
      const Row high = sparse::nearest_by_enumeration(up), low = sparse::nearest_by_enumeration(down);
      double slope = 0;
      for (std::size_t s = 0; s < dw.size(); ++s) slope += dw[s] * (high[s] - low[s]) / 2e-6;
      numeric.push_back(slope);
    }
    e.check(fmt::format("{} keys, gradient by score ", S),
            mine::sparsemax_gradient(sparse::nearest_by_enumeration(scores), dw), numeric, 1e-7);
  }
  e.check("one key has all the weight, gradient by score ", mine::sparsemax_gradient({0, 1, 0}, {3, -2, 1}), Row(3, 0),
          1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("17", 2, "The gradient of sparsemax");
  e.hint("In the support, dw_s/de_r = (1 if s is r, else 0) - 1/|A|. If s or r is outside, it is 0.");
  e.hint("w[s] > 0 says whether s is in the support.");
  e.hint("de_r = dw_r - (mean of dw over the support) for r in the support, else 0.");
  e.insight(
      "No exponential, no weight, only a mean: cheaper than the softmax. But a key with the weight 0 gets nothing,\n"
      "and if one key has all the weight, nobody gets anything: this is the start from which sparsemax cannot learn.",
      "./heed exercise 17 3");
  return e.run(argc, argv, examine);
}
