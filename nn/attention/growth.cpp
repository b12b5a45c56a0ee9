#include "nn/attention/growth.h"

#include <algorithm>

namespace heed::nn {

bool cost_is_linear(const CatalogueEntry& e) { return std::ranges::find(e.own, kLinearCost) != e.own.end(); }

bool cost_is_counted(const CatalogueEntry& e) { return e.evaluator || e.scope || e.mixer; }

std::string cost_in_words(const CatalogueEntry& e) {
  if (!cost_is_counted(e)) return e.cost;
  return e.cost +
         (cost_is_linear(e)
              ? "; counted over all words at once, it grows in proportion to the number of words"
              : "; counted over all words at once, it grows with the square of the number of words, or faster");
}

}  // namespace heed::nn
