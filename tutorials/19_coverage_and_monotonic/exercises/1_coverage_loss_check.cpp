// Hints and checks of exercise 19.1.
#include "tutorials/19_coverage_and_monotonic/exercises/1_coverage_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/coverage.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Rows;
using std::size_t;

Rows random_weights(uint64_t seed, size_t T, size_t S) {
  Generator rng(seed);
  Rows a(T, std::vector<double>(S));
  for (auto& row : a) {
    double total = 0;
    for (double& x : row) total += x = std::exp(2 * rng.normal());
    for (double& x : row) x /= total;
  }
  return a;
}

void examine(app::Exercise& e) {
  e.check("the loss of three steps that read the first, the second and again the first word, step ",
          mine::coverage_loss({{1, 0}, {0, 1}, {1, 0}}), std::vector<double>{0, 0, 1}, 1e-12);
  for (const auto& [T, S] : {std::pair<size_t, size_t>{4, 6}, {7, 3}}) {
    Rows a = random_weights(T, T, S);
    std::vector<double> flat;
    for (const auto& row : a) flat.insert(flat.end(), row.begin(), row.end());
    Variable weights(Tensor::from(flat, {1, static_cast<int64_t>(T), static_cast<int64_t>(S)}));
    e.check(fmt::format("the loss of {} steps and {} words, against the library, step ", T, S), mine::coverage_loss(a),
            nn::coverage_loss(weights).value().to_vector(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("19", 1, "The coverage loss");
  e.hint("Keep one vector c of S numbers, 0 at the beginning, and go through the steps in order.");
  e.hint("In step t, first add min(a[t][s], c[s]) to the loss, then add a[t][s] to c[s].");
  e.insight(
      "The loss is 0 as long as every step attends to new words, and 1 if it attends only to old ones.\n"
      "A model that never repeats itself in training gets no gradient from it.",
      "./heed exercise 19 2");
  return e.run(argc, argv, examine);
}
