#include "tutorials/16_hard_and_soft/exercises/1_reinforce.h"

namespace mine {

using namespace heed;

// | // The gap ignores that the choice depends on the parameters, too.
Variable surrogate(const Variable& log_likelihood, const Variable& log_choice, double b) {
  // ---- the gap: add the term with the log-probability of the choice ----
  // | return log_likelihood;
  // ---- filled ----
  return log_likelihood + (log_likelihood.detach() - b) * log_choice;
  // ---- end of the gap ----
}

}  // namespace mine
