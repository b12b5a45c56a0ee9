// Hints and checks of exercise 23.1.
#include "tutorials/23_positions/exercises/1_rotate.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Pair;

double product(const Pair& a, const Pair& b) { return a[0] * b[0] + a[1] * b[1]; }

void examine(app::Exercise& e) {
  Pair q{0.3, -1.2}, k{0.8, 0.5};
  auto numbers = [](const Pair& x) { return std::vector<double>{x[0], x[1]}; };
  e.check("q at position 0, number ", numbers(mine::turned(q, 0, 0.7)), numbers(q), 1e-12);
  e.check("(1, 0) rotated by a quarter turn, number ", numbers(mine::turned({1, 0}, 1, std::acos(0.0))), {0, 1}, 1e-12);
  e.check("(0, 1) rotated by a quarter turn, number ", numbers(mine::turned({0, 1}, 1, std::acos(0.0))), {-1, 0},
          1e-12);
  e.check("the squared length of q at position 3", product(mine::turned(q, 3, 0.7), mine::turned(q, 3, 0.7)),
          product(q, q), 1e-12);
  for (double shift : {1.0, 5.0, 40.0})
    e.check(fmt::format("the dot product of q and k with both positions shifted by {}", shift),
            product(mine::turned(q, 2 + shift, 0.7), mine::turned(k, 5 + shift, 0.7)),
            product(mine::turned(q, 2, 0.7), mine::turned(k, 5, 0.7)), 1e-9);
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
  return e.run(argc, argv, examine);
}
