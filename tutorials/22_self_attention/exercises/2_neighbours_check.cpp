// Hints and checks of exercise 22.2.
#include "tutorials/22_self_attention/exercises/2_neighbours.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Matrix;

const double kPi = std::acos(-1.0);

int looks_at(const Matrix& w, int n, int R, double a) {
  double x = std::cos(a * n), y = std::sin(a * n);
  double q0 = x * w[0][0] + y * w[1][0], q1 = x * w[0][1] + y * w[1][1];
  int best = 0;
  auto score = [&](int m) { return q0 * std::cos(a * m) + q1 * std::sin(a * m); };
  for (int m = 1; m < R; ++m)
    if (score(m) > score(best) + 1e-9) best = m;
  return best;
}

void examine(app::Exercise& e) {
  for (int R : {5, 8, 11}) {
    double a = 2 * kPi / R;
    for (int n = 0; n < R; ++n) {
      auto word = [&](int h) { return fmt::format("the word that head {} attends to from word {} of {}", h, n, R); };
      e.check(word(1), looks_at(mine::queries(a)[0], n, R, a), (n + 1) % R, 0);
      e.check(word(2), looks_at(mine::queries(a)[1], n, R, a), (n + R - 1) % R, 0);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("22", 2, "Two heads by hand");
  e.hint("x_n . x_m is the cosine of the angle between them, so the nearest point wins. Where must the query lie?");
  e.hint("A matrix can rotate a point of the plane by an angle. By which angle does x_n become x_{n+1}?");
  e.hint("x W is a row times a matrix: to rotate by a, W = {{cos a, sin a}, {-sin a, cos a}}.");
  e.insight(
      "One head has one matrix and can look in one direction; two heads look both ways in the same layer.\n"
      "RoPE (lesson 23) is the same rotation, by the position instead of by one step.",
      "./heed exercise 22 3");
  return e.run(argc, argv, examine);
}
