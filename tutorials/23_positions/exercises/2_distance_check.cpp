// Hints and checks of exercise 23.2.
#include "tutorials/23_positions/exercises/2_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  struct Case {
    int64_t D;
    std::vector<int64_t> rows;  // of keys[i]
  };
  const std::vector<int64_t> keys{0, 18, 19, 20, 21, 22, 47};
  for (const Case& c : {Case{2, {0, 0, 1, 2, 3, 4, 4}}, Case{8, {0, 6, 7, 8, 9, 10, 16}}}) {
    for (size_t i = 0; i < keys.size(); ++i)
      e.check(fmt::format("the row for query 20 and key {}, D = {},", keys[i], c.D),
              static_cast<double>(mine::row(20, keys[i], c.D)), static_cast<double>(c.rows[i]), 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("23", 2, "Which row of Shaw's table?");
  e.hint("Two words before the query and two words after it must have rows of their own.");
  e.hint("Clip the signed distance s - t first, then add D.");
  e.hint("std::clamp(value, low, high).");
  e.insight(
      "The table has one vector per distance and direction, whatever the length of the sentence; beyond D all keys "
      "look\n"
      "equally far. Such a model can be used on sentences that are longer than those it was trained on.",
      "./heed exercise 23 3");
  return e.run(argc, argv, examine);
}
