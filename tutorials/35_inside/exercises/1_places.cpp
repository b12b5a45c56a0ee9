#include "tutorials/35_inside/exercises/1_places.h"

namespace mine {

// | // The gap looks at the weight of each word on itself.
double place_score(const Weights& w, const std::vector<std::string>& text, std::size_t d) {
  double sum = 0, count = 0;
  for (std::size_t t = 0; t < text.size(); ++t) {
    // ---- the gap: about 4 lines: find the last place before t with the same word, add its weight ----
    // | sum += w[t][t], ++count;
    // ---- filled ----
    std::size_t s = t;
    while (s > 0 && text[s - 1] != text[t]) --s;
    if (s == 0 || s - 1 + d > t) continue;
    sum += w[t][s - 1 + d], ++count;
    // ---- end of the gap ----
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace mine
