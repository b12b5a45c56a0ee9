// Hints, common mistakes and checks of exercise 22.2.
#include "tutorials/22_self_attention/exercises/2_neighbours.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Matrix;
using Heads = std::array<Matrix, 2>;

const double kPi = std::acos(-1.0);

Matrix matrix(double a, double b, double c, double d) { return {{{a, b}, {c, d}}}; }
Matrix rotation(double a) { return matrix(std::cos(a), std::sin(a), -std::sin(a), std::cos(a)); }  // of a row vector

const std::vector<app::Mistake<decltype(&mine::queries)>> mistakes{
    {"The gap is still open: both matrices are the identity, and each word attends to itself",
     [](double) {
       return Heads{rotation(0), rotation(0)};
     }},
    {"Your heads are exchanged: x W is a row times a matrix, and {{cos a, -sin a}, {sin a, cos a}} rotates a row by -a",
     [](double a) {
       return Heads{rotation(-a), rotation(a)};
     }},
    {"Both heads attend to the next word: W_2 must rotate by -a",
     [](double a) {
       return Heads{rotation(a), rotation(a)};
     }},
    {"Both heads attend to the word before: W_1 must rotate by +a",
     [](double a) {
       return Heads{rotation(-a), rotation(-a)};
     }},
    {"Head 1 is right, and head 2 still attends to the word itself: W_2 must rotate by -a",
     [](double a) {
       return Heads{rotation(a), rotation(0)};
     }},
    {"Your heads attend to n + 2 and n - 2: rotate by a, not by 2 a",
     [](double a) {
       return Heads{rotation(2 * a), rotation(-2 * a)};
     }},
    {"Your matrices mirror the plane instead of rotating it (their determinant is -1): check the signs of the second "
     "row",
     [](double a) {
       double c = std::cos(a), s = std::sin(a);
       return Heads{matrix(c, s, s, -c), matrix(c, -s, -s, -c)};
     }},
    {"A sign is missing: {{cos a, sin a}, {sin a, cos a}} is no rotation, one of the two sines is negative",
     [](double a) {
       double c = std::cos(a), s = std::sin(a);
       return Heads{matrix(c, s, s, c), matrix(c, -s, -s, c)};
     }},
    {"You exchanged sine and cosine: the cosines are on the diagonal",
     [](double a) {
       double c = std::cos(a), s = std::sin(a);
       return Heads{matrix(s, c, -c, s), matrix(s, -c, c, s)};
     }},
    {"You converted the angle to degrees: a is in radians already, and so is what std::cos takes",
     [](double a) {
       return Heads{rotation(180 / kPi * a), rotation(-180 / kPi * a)};
     }},
};

int looks_at(const Matrix& w, int n, int R, double a) {
  double x = std::cos(a * n), y = std::sin(a * n);
  double q0 = x * w[0][0] + y * w[1][0], q1 = x * w[0][1] + y * w[1][1];
  int best = 0;
  auto score = [&](int m) { return q0 * std::cos(a * m) + q1 * std::sin(a * m); };
  for (int m = 1; m < R; ++m)
    if (score(m) > score(best) + 1e-9) best = m;
  return best;
}

void examine(app::Exercise& e, const decltype(&mine::queries)& queries) {
  for (int R : {5, 8, 11}) {
    double a = 2 * kPi / R;
    for (int n = 0; n < R; ++n) {
      auto word = [&](int h) { return fmt::format("the word that head {} attends to from word {} of {}", h, n, R); };
      e.check(word(1), looks_at(queries(a)[0], n, R, a), (n + 1) % R, 0);
      e.check(word(2), looks_at(queries(a)[1], n, R, a), (n + R - 1) % R, 0);
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
  return e.run(argc, argv, mine::queries, examine, mistakes);
}
