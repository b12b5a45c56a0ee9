// Hints, common mistakes and checks of exercise 24.2.
#include "tutorials/24_encoder/exercises/2_layer_norm.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "nn/norm.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Numbers = std::vector<double>;
using Answer = std::function<Numbers(const Numbers&, double)>;

double sum(const Numbers& x) {
  double total = 0;
  for (double v : x) total += v;
  return total;
}

// Each number minus the mean, divided by divisor(sum of squares, d, eps).
Answer divided_by(std::function<double(double, double, double)> divisor) {
  return [divisor](const Numbers& x, double eps) {
    auto d = static_cast<double>(x.size());
    double mean = sum(x) / d, squares = 0;
    for (double v : x) squares += (v - mean) * (v - mean);
    Numbers y;
    for (double v : x) y.push_back((v - mean) / divisor(squares, d, eps));
    return y;
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"Two things differ: divide the squares by d, not by d - 1, and add eps inside the root",
     divided_by([](double squares, double d, double eps) { return std::sqrt(squares / (d - 1)) + eps; })},
    {"eps is in its place, but you divide the squares by d - 1: the variance of a layer norm divides by d",
     divided_by([](double squares, double d, double eps) { return std::sqrt(squares / (d - 1) + eps); })},
    {"The variance is right, but eps is outside the root: sqrt(variance + eps)",
     divided_by([](double squares, double d, double eps) { return std::sqrt(squares / d) + eps; })},
    {"eps is missing: four equal numbers have variance 0, and 0 / 0 is NaN",
     divided_by([](double squares, double d, double) { return std::sqrt(squares / d); })},
    {"The root is missing: divide by the standard deviation, not by the variance",
     divided_by([](double squares, double d, double eps) { return squares / d + eps; })},
    {"Your variance is the sum of the squares: divide it by d",
     divided_by([](double squares, double, double eps) { return std::sqrt(squares + eps); })},
    {"You divided the root by d: divide the squares by d, then take the root",
     divided_by([](double squares, double d, double eps) { return std::sqrt(squares + eps) / d; })},
    {"The mean is not subtracted in the numerator",
     [](const Numbers& x, double eps) {
       auto d = static_cast<double>(x.size());
       double mean = sum(x) / d, squares = 0;
       for (double v : x) squares += (v - mean) * (v - mean);
       Numbers y;
       for (double v : x) y.push_back(v / std::sqrt(squares / d + eps));
       return y;
     }},
};

void examine(app::Exercise& e, const Answer& layer_norm) {
  for (const Numbers& x :
       {Numbers{1, 2, 3, 4, 5, 6, 7, 8}, Numbers{0.1, -4, 2.5}, Numbers{5, 5, 5, 5}, Numbers{1, 1.001}}) {
    auto d = static_cast<int64_t>(x.size());
    Generator rng(1);
    nn::LayerNorm norm({.shape = {d}, .affine = false}, rng);
    e.check(fmt::format("the norm of the {} numbers that begin with {}, number ", d, x[0]), layer_norm(x, 1e-5),
            norm(Variable(Tensor::from(x, {d}))).value().to_vector(), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 2, "What does a norm divide by?");
  e.hint("d - 1 serves to estimate the spread of a population from a sample. Here the d numbers are all there are.");
  e.hint("Two numbers that hardly differ show where eps belongs: inside the root.");
  e.hint("std::sqrt(squares / d + eps).");
  e.insight(
      "With d - 1 each number of a width of 8 is 0.9354 times as large: weights from PyTorch would still run, and "
      "give\n"
      "slightly wrong results. eps inside the root matters only where the numbers are nearly equal.",
      "./heed exercise 24 3");
  return e.run(argc, argv, Answer(mine::layer_norm), examine, mistakes);
}
