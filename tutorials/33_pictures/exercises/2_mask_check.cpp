// Hints and checks of exercise 33.2.
#include "tutorials/33_pictures/exercises/2_mask.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  struct Picture {
    int64_t R, C, M;
  };
  for (const Picture& picture : {Picture{4, 6, 2}, {8, 12, 4}, {6, 3, 3}}) {
    const int64_t R = picture.R, C = picture.C, M = picture.M;
    const mine::Mask mask = mine::shifted_mask(R, C, M);
    const std::string where = fmt::format("R = {}, C = {}, M = {}: ", R, C, M);
    std::vector<double> found, expected;
    double across = 0;
    for (int64_t n = 0; n < R * C / (M * M); ++n)
      for (int64_t i = 0; i < M * M; ++i)
        for (int64_t j = 0; j < M * M; ++j) {
          // Where both were before the picture was rolled: those of one window are less than M rows and columns apart.
          auto row = [&](int64_t slot) { return (n / (C / M) * M + slot / M + M / 2) % R; };
          auto column = [&](int64_t slot) { return (n % (C / M) * M + slot % M + M / 2) % C; };
          // An axis of one window is rolled, too; there the seam is between places of different order.
          auto near = [&](int64_t a, int64_t b, int64_t from, int64_t to) { return (a < b) == (from < to) || a == b; };
          const bool allowed = std::abs(row(i) - row(j)) < M && std::abs(column(i) - column(j)) < M &&
                               near(i / M, j / M, row(i), row(j)) && near(i % M, j % M, column(i), column(j));
          const bool mine = mask.at(static_cast<size_t>(n)).at(static_cast<size_t>(i)).at(static_cast<size_t>(j));
          found.push_back(mine), expected.push_back(allowed);
          across += mine && !allowed;
        }
    e.check(where + "pairs of opposite sides that are allowed", across, 0, 0);
    e.check(where + "the mask", found, expected, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("33", 2, "The mask of a shifted window");
  e.hint("Roll one axis on paper: which places are at its end, and where did they come from?");
  e.hint(
      "The last M / 2 places of a rolled axis came from its beginning. Places of one window are neighbours if both "
      "are, or neither is, among them.");
  e.hint("Two places may attend to each other if this holds for their rows and for their columns.");
  e.insight(
      "Nothing crashes without the mask, and the accuracy of a model may even rise: it reads more than it should. "
      "Only\n"
      "a count of what is read shows the fault.",
      "./heed exercise 33 3");
  return e.run(argc, argv, examine);
}
