#include "tutorials/29_explain/exercises/1_kendall.h"

#include <cmath>
#include <cstddef>

namespace mine {

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  // ---- the gap: about 12 lines, two loops over the pairs ----
  // | return 0;
  // ---- filled ----
  double difference = 0, in_a = 0, in_b = 0;  // C - D, P - A, P - B
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      int by_a = (a[i] > a[j]) - (a[i] < a[j]), by_b = (b[i] > b[j]) - (b[i] < b[j]);
      difference += by_a * by_b;
      in_a += by_a != 0;
      in_b += by_b != 0;
    }
  double root = std::sqrt(in_a * in_b);
  return root > 0 ? difference / root : 0;
  // ---- end of the gap ----
}

}  // namespace mine
