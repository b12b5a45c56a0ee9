#include "tutorials/04_softmax_and_masks/exercises/1_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mine {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- the gap: both are the formulas as written, and overflow ----
// | double log_sum_exp(const std::vector<double>& x) {
// |   double sum = 0;
// |   for (double v : x) sum += std::exp(v);
// |   return std::log(sum);
// | }
// |
// | std::vector<double> softmax(const std::vector<double>& x) {
// |   double sum = 0;
// |   for (double v : x) sum += std::exp(v);
// |   std::vector<double> p;
// |   for (double v : x) p.push_back(std::exp(v) / sum);
// |   return p;
// | }
// ---- filled: the maximum is subtracted ----
double log_sum_exp(const std::vector<double>& x) {
  double top = *std::max_element(x.begin(), x.end()), sum = 0;
  if (top == -kInfinity) return top;
  for (double v : x) sum += std::exp(v - top);
  return top + std::log(sum);
}

std::vector<double> softmax(const std::vector<double>& x) {
  double lse = log_sum_exp(x);
  std::vector<double> p;
  for (double v : x) p.push_back(lse == -kInfinity ? 0 : std::exp(v - lse));
  return p;
}
// ---- end of the gap ----

}  // namespace mine
