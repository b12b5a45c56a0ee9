// Exercise 24.2: the spread that a norm divides by.
//
//   y = (x - mean) / sqrt(variance + eps),    variance = the mean of (x - mean)^2
//
// A well-known mistake divides by d - 1, and adds eps outside the root.
// The checks compare y with nn::LayerNorm, which is PyTorch's.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "nn/norm.h"
#include "tutorials/common/exercise.h"

namespace {

std::vector<double> layer_norm(const std::vector<double>& x, double eps) {
  auto d = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (double v : x) mean += v / d;
  for (double v : x) squares += (v - mean) * (v - mean);
  std::vector<double> y;
  // ---- the gap, filled ----
  for (double v : x) y.push_back((v - mean) / std::sqrt(squares / d + eps));
  // ---- end of the gap ----
  return y;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 2, "The spread that a norm divides by");
  e.hint("d - 1 is for guessing the spread of a population from a sample. Here the d numbers are all there are.");
  e.hint("Two numbers that hardly differ show where eps stands.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (const std::vector<double>& x :
         std::vector<std::vector<double>>{{1, 2, 3, 4, 5, 6, 7, 8}, {0.1, -4, 2.5}, {5, 5, 5, 5}, {1, 1.001}}) {
      auto d = static_cast<int64_t>(x.size());
      Generator rng(1);
      nn::LayerNorm norm({.shape = {d}, .affine = false}, rng);
      e.check(fmt::format("the {} numbers that begin with {}", d, x[0]), layer_norm(x, 1e-5),
              norm(Variable(Tensor::from(x, {d}))).value().to_vector(), 1e-9);
    }
  });
}
