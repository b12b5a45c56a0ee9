// Hints and checks of exercise 17.3.
#include "tutorials/17_sparse/exercises/3_entmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/attention/normalisers/entmax.h"
#include "tutorials/17_sparse/simplex.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Entmax;
using sparse::Row;

void examine(app::Exercise& e) {
  Generator rng(19);
  for (double alpha : {1.25, 1.5, 2.0, 3.0}) {
    for (int64_t S : {4, 7}) {
      Row scores = Tensor::normal({S}, rng, 0.3, 1, DType::f64).to_vector();
      const Row dw = Tensor::normal({S}, rng, 0.5, 1, DType::f64).to_vector();
      const bool masked = S == 7;
      if (masked) scores[2] = -INFINITY;
      const std::string with = fmt::format("alpha {:g}, {} keys{}", alpha, S, masked ? ", one not allowed" : "");
      auto library = [&](const Row& row) {
        return nn::entmax(Variable(Tensor::from(row, {1, S})), Variable(Tensor::scalar(alpha, DType::f64)))
            .value()
            .to_vector();
      };
      const Entmax ours = mine::entmax(scores, alpha, dw);
      const Row expected = library(scores);
      e.check(with + ", weight ", ours.w, expected, 1e-12);
      Row numeric;
      for (std::size_t r = 0; r < scores.size(); ++r) {
        Row up = scores, down = scores;
        up[r] += 1e-6, down[r] -= 1e-6;
        const Row high = library(up), low = library(down);
        double slope = 0;
        for (std::size_t s = 0; s < dw.size(); ++s) slope += dw[s] * (high[s] - low[s]) / 2e-6;
        numeric.push_back(slope);
      }
      e.check(with + ", gradient by score ", ours.de, numeric, 1e-6);
    }
  }
  const Entmax none = mine::entmax(Row(3, -INFINITY), 1.5, Row(3, 1));
  e.check("no key allowed, weight ", none.w, Row(3, 0), 0);
  e.check("no key allowed, gradient by score ", none.de, Row(3, 0), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("17", 3, "Entmax by bisection, and its gradient");
  e.hint(
      "A lambda weight(s, tau) serves both the bisection and the result: pow(max(u[s] - tau, 0.), 1 / (alpha - 1)).");
  e.hint("-inf needs no special case in the weights: max(-inf - tau, 0) is 0. Only a row of nothing else does.");
  e.hint("w^(2 - alpha) of a weight of 0 is infinite for alpha above 2: leave such keys out of both sums.");
  e.hint("mean = sum of w^(2 - alpha) dw over the support, divided by the sum of w^(2 - alpha); then the last line.");
  e.insight(
      "One function from softmax (alpha near 1) to sparsemax (alpha 2) and beyond. In the gradient a weight counts\n"
      "with w^(2 - alpha): like w for the softmax, the same for all for sparsemax.",
      "./heed run 18");
  return e.run(argc, argv, examine);
}
