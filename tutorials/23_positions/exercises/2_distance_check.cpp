// Hints, common mistakes and checks of exercise 23.2.
#include "tutorials/23_positions/exercises/2_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

const std::vector<app::Mistake<decltype(&mine::row)>> mistakes{
    {"The gap is still open: keys before and after the query share a row, and far keys are outside the table",
     [](int64_t t, int64_t s, int64_t D) { return std::abs(s - t) + D; }},
    {"Keys before and after the query share a row: use s - t with its sign, not its absolute value",
     [](int64_t t, int64_t s, int64_t D) { return std::min(std::abs(s - t), D) + D; }},
    {"Your distance has the wrong sign: a key after the query has a positive one, s - t",
     [](int64_t t, int64_t s, int64_t D) { return std::clamp(t - s, -D, D) + D; }},
    {"Far keys are outside the table of 2 D + 1 rows: clip s - t to -D .. D",
     [](int64_t t, int64_t s, int64_t D) { return s - t + D; }},
    {"Your rows begin at -D: add D, so that the first row is 0",
     [](int64_t t, int64_t s, int64_t D) { return std::clamp(s - t, -D, D); }},
    {"You added D before you clipped to -D .. D: clip first, then add D",
     [](int64_t t, int64_t s, int64_t D) { return std::clamp(s - t + D, -D, D); }},
    {"All keys before the query share row 0: add D before you clip to 0 .. 2 D, or clip to -D .. D and add D then",
     [](int64_t t, int64_t s, int64_t D) { return std::clamp<int64_t>(s - t, 0, 2 * D); }},
    {"Your rows are 1 too large: the farthest key before the query has row 0",
     [](int64_t t, int64_t s, int64_t D) { return std::clamp(s - t, -D, D) + D + 1; }},
    {"Your last row is missing: the largest distance that has a row is D, not D - 1",
     [](int64_t t, int64_t s, int64_t D) { return std::clamp(s - t, -D, D - 1) + D; }},
};

void examine(app::Exercise& e, const decltype(&mine::row)& row) {
  struct Case {
    int64_t D;
    std::vector<int64_t> rows;  // of keys[i]
  };
  const std::vector<int64_t> keys{0, 18, 19, 20, 21, 22, 47};
  for (const Case& c : {Case{2, {0, 0, 1, 2, 3, 4, 4}}, Case{8, {0, 6, 7, 8, 9, 10, 16}}}) {
    for (size_t i = 0; i < keys.size(); ++i)
      e.check(fmt::format("the row for query 20 and key {}, D = {},", keys[i], c.D),
              static_cast<double>(row(20, keys[i], c.D)), static_cast<double>(c.rows[i]), 0);
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
  return e.run(argc, argv, mine::row, examine, mistakes);
}
