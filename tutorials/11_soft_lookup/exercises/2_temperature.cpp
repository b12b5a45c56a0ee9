#include "tutorials/11_soft_lookup/exercises/2_temperature.h"

#include <cmath>

namespace mine {

// The gap returns the lead, which has the right unit, but depends neither on eps nor on the number of keys.
double temperature(const Table& table, [[maybe_unused]] double eps) {
  // ---- the gap: solve the bound for the temperature ----
  return table.lead;
  // ---- end of the gap ----
}

}  // namespace mine
