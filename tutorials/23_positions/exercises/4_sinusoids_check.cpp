// Hints and checks of exercise 23.4.
#include "tutorials/23_positions/exercises/4_sinusoids.h"

#include <fmt/format.h>

#include "nn/attention/positions/sinusoidal.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  e.check("the row of position 0, number ", mine::sinusoids(1, 4), {0, 1, 0, 1}, 1e-12);
  for (auto [T, D] : {std::pair{3, 2}, {5, 8}, {40, 6}})
    e.check(fmt::format("{} positions of width {}, number ", T, D), mine::sinusoids(T, D),
            nn::sinusoidal_positions(T, {.width = D}, 0, DType::f64).to_vector(), 1e-10);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("23", 4, "Sinusoidal positions");
  e.hint("A loop over the positions, and in it one over the even columns, c = 0, 2, .. D - 2.");
  e.hint("Column c and column c + 1 have the same angle, p / 10000^(c / D), because c is 2i.");
  e.hint("Element p * D + c is the sine, p * D + c + 1 the cosine. std::pow(10000.0, x) is 10000^x.");
  e.insight(
      "Each pair of columns is the hand of a clock, and each clock has a speed of its own. Nothing is learned, so "
      "that\n"
      "a position which no training sentence had has a vector, too. ./heed generate --mine puts yours into a GPT.",
      "./heed run 24");
  return e.run(argc, argv, examine);
}
