// Hints and checks of exercise 07.3.

#include <algorithm>
#include <numeric>

#include "tutorials/07_embeddings/exercises/3_nearest.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;
using Table = std::vector<Vector>;

void examine(app::Exercise& e) {
  // Lengths and cosines are exact: rows 2 and 6 are parallel.
  const Table table{{1, 0}, {5, 5}, {4, 3}, {-3, 0}, {0, 2}, {1, -7}, {8, 6}};
  auto rows = [&](std::size_t word, std::size_t count) {
    Vector found;
    for (std::size_t row : mine::nearest(table, word, count)) found.push_back(static_cast<double>(row));
    return found;
  };
  e.check("the number of neighbours of row 0, asked for 3,", static_cast<double>(rows(0, 3).size()), 3, 0);
  e.check("the neighbours of row 0, asked for 3", rows(0, 3), {2, 6, 1}, 0);
  e.check("the neighbours of row 6, asked for 3", rows(6, 3), {2, 1, 0}, 0);
  e.check("the neighbours of row 3, asked for 2", rows(3, 2), {4, 5}, 0);
  e.check("the neighbours of row 1, asked for 100", rows(1, 100), {2, 6, 0, 4, 5, 3}, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("07", 3, "The nearest words");
  e.hint("std::erase(rows, word) removes the word itself.");
  e.hint("The dot product alone prefers long vectors. std::inner_product gives it; divide by both lengths.");
  e.hint("std::stable_sort keeps the order of equal rows.");
  e.insight(
      "The length of a word vector depends much on how frequent the word is; the angle says which words it occurs "
      "with.\n"
      "Attention compares vectors by the dot product, where the length counts: a long key attracts more queries.",
      "./heed run 08");
  return e.run(argc, argv, examine);
}
