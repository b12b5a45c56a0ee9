// Exercise 07.3: the nearest words.
//
//   cos(a, b) = a . b / (|a| |b|)
//
// nearest(vectors, word, count): the rows of the `count` vectors with the largest cosine to the vector of row `word`,
// the nearest first; of equals the lower row first. A word is not its own neighbour.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tutorials/common/exercise.h"

using namespace heed;

using Vector = std::vector<double>;

std::vector<size_t> nearest(const std::vector<Vector>& vectors, [[maybe_unused]] size_t word, size_t count) {
  std::vector<size_t> rows(vectors.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  // --- the gap: leave `word` out, and sort what is left by the cosine ---
  // --- end of the gap ---
  rows.resize(std::min(count, rows.size()));
  return rows;
}

int main(int argc, char** argv) {
  app::Exercise e("07", 3, "The nearest words");
  e.hint("std::erase(rows, word) leaves the word itself out.");
  e.hint("The dot product alone prefers long vectors. Divide by both lengths.");
  e.hint("std::stable_sort keeps the order of equals.");
  return e.run(argc, argv, [&] {
    std::vector<Vector> table{{1, 0}, {5, 5}, {1, 0.1}, {-3, 0}, {0, 2}, {0, -7}, {2, 0.2}};
    auto rows = [&](size_t word, size_t count) {
      Vector found;
      for (size_t row : nearest(table, word, count)) found.push_back(static_cast<double>(row));
      return found;
    };
    e.check("the number of neighbours of row 0, asked for 3,", static_cast<double>(rows(0, 3).size()), 3, 0);
    e.check("the neighbours of row 0", rows(0, 3), {2, 6, 1}, 0);
    e.check("the nearest of row 3: none points its way, so those at a right angle", rows(3, 2), {4, 5}, 0);
    e.check("the neighbours of row 1, asked for 100", rows(1, 100), {2, 6, 0, 4, 3, 5}, 0);
  });
}
