// Hints, common mistakes and checks of exercise 23.1.
#include "tutorials/23_positions/exercises/1_rotate.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Pair;

const std::vector<app::Mistake<decltype(&mine::turned)>> mistakes{
    {"Your function stretches: both numbers are multiplied by the cosine. Each number of the result needs both of x",
     [](const Pair& x, double p, double t) {
       return Pair{x[0] * std::cos(p * t), x[1] * std::cos(p * t)};
     }},
    {"You rotate by -p t, in the other direction: the minus sign belongs to y_1, before x_2 sin(p t)",
     [](const Pair& x, double p, double t) {
       double c = std::cos(p * t), s = std::sin(p * t);
       return Pair{x[0] * c + x[1] * s, -x[0] * s + x[1] * c};
     }},
    {"The minus sign is missing in y_1 = x_1 cos(p t) - x_2 sin(p t): lengths change",
     [](const Pair& x, double p, double t) {
       double c = std::cos(p * t), s = std::sin(p * t);
       return Pair{x[0] * c + x[1] * s, x[0] * s + x[1] * c};
     }},
    {"Your function reflects instead of rotating: at position 0 it changes the sign of x_2. Exchange the signs of the "
     "terms with x_2",
     [](const Pair& x, double p, double t) {
       double c = std::cos(p * t), s = std::sin(p * t);
       return Pair{x[0] * c + x[1] * s, x[0] * s - x[1] * c};
     }},
    {"You exchanged sine and cosine: at position 0 nothing may change, and cos(0) is 1",
     [](const Pair& x, double p, double t) {
       double c = std::cos(p * t), s = std::sin(p * t);
       return Pair{x[0] * s - x[1] * c, x[0] * c + x[1] * s};
     }},
    {"You computed y_2 from y_1, the updated value: it needs the old x_1",
     [](const Pair& x, double p, double t) {
       double c = std::cos(p * t), s = std::sin(p * t), y = x[0] * c - x[1] * s;
       return Pair{y, y * s + x[1] * c};
     }},
    {"You added sine and cosine of the position, as an absolute position embedding does: RoPE multiplies",
     [](const Pair& x, double p, double t) {
       return Pair{x[0] + std::sin(p * t), x[1] + std::cos(p * t)};
     }},
    {"Each of your numbers is multiplied by a factor of its own, cosine or sine: each result is a sum of two products",
     [](const Pair& x, double p, double t) {
       return Pair{x[0] * std::cos(p * t), x[1] * std::sin(p * t)};
     }},
};

double product(const Pair& a, const Pair& b) { return a[0] * b[0] + a[1] * b[1]; }

void examine(app::Exercise& e, const decltype(&mine::turned)& turned) {
  Pair q{0.3, -1.2}, k{0.8, 0.5};
  auto numbers = [](const Pair& x) { return std::vector<double>{x[0], x[1]}; };
  e.check("q at position 0, number ", numbers(turned(q, 0, 0.7)), numbers(q), 1e-12);
  e.check("(1, 0) rotated by a quarter turn, number ", numbers(turned({1, 0}, 1, std::acos(0.0))), {0, 1}, 1e-12);
  e.check("(0, 1) rotated by a quarter turn, number ", numbers(turned({0, 1}, 1, std::acos(0.0))), {-1, 0}, 1e-12);
  e.check("the squared length of q at position 3", product(turned(q, 3, 0.7), turned(q, 3, 0.7)), product(q, q), 1e-12);
  for (double shift : {1.0, 5.0, 40.0})
    e.check(fmt::format("the dot product of q and k with both positions shifted by {}", shift),
            product(turned(q, 2 + shift, 0.7), turned(k, 5 + shift, 0.7)),
            product(turned(q, 2, 0.7), turned(k, 5, 0.7)), 1e-9);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("23", 1, "Rotate by the position");
  e.hint("A rotation keeps the length of a vector. Does yours?");
  e.hint("Both numbers of the result need both numbers of x: the formula is in the header of the exercise.");
  e.hint("y_1 = x_1 c - x_2 s, y_2 = x_1 s + x_2 c.");
  e.insight(
      "Query and key are rotated by their own, absolute positions, and the dot product sees only the difference of "
      "the\n"
      "two angles: RoPE needs no table, and a sentence that moves as a whole keeps all its scores.",
      "./heed exercise 23 2");
  return e.run(argc, argv, mine::turned, examine, mistakes);
}
