#include "tutorials/27_decoder/exercises/2_entropy.h"

#include <cmath>

namespace mine {

// | // The gap has the entropy of the first choice only.
Grammar solved(double q) {
  // ---- the gap: the rest of the sentence counts, too ----
  // | double entropy = -q * std::log(q) - (1 - q) * std::log(1 - q);
  // | return {entropy, 1};
  // ---- filled ----
  double choice = -q * std::log(q) - (1 - q) * std::log(1 - q);  // H = choice + q H, L = 1 + q L
  return {choice / (1 - q), 1 / (1 - q)};
  // ---- end of the gap ----
}

}  // namespace mine
