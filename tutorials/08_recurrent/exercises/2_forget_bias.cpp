#include "tutorials/08_recurrent/exercises/2_forget_bias.h"

#include <cmath>

namespace mine {

// | // The gap returns the common bias of 1, whatever the distance.
double forget_bias(double distance, double share) {
  // ---- the gap: solve sigmoid(bias)^distance = share for the bias ----
  // | return 1;
  // ---- filled: f = share^(1 / distance) = 1 / (1 + exp(-bias)) ----
  double f = std::pow(share, 1 / distance);
  return std::log(f / (1 - f));
  // ---- end of the gap ----
}

}  // namespace mine
