// Exercise 16.2: the best baseline.
//
// One choice among S, with weights w = softmax(e); the reward of choice z is r_z. The estimate of the gradient by the
// scores e is
//
//   g(z) = (r_z - b) u(z),      u(z) = one_hot(z) - w
//
// Its mean does not depend on b, so the variance, summed over the S entries, is sum_z w_z (r_z - b)^2 |u(z)|^2 minus a
// constant. Derive the b at which it is smallest. What stands in the gap is the mean reward, which is near.
// The checks find the smallest by trying.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

double squared_length(const std::vector<double>& w, size_t z) {  // |u(z)|^2
  double total = 0;
  for (size_t s = 0; s < w.size(); ++s) total += std::pow((s == z ? 1 : 0) - w[s], 2);
  return total;
}

double best_baseline(const std::vector<double>& w, const std::vector<double>& r) {
  // ---- the gap: solve for b ----
  double mean = 0;
  for (size_t z = 0; z < w.size(); ++z) mean += w[z] * r[z];
  return mean;
  // ---- end of the gap ----
}

double second_moment(const std::vector<double>& w, const std::vector<double>& r, double b) {
  double total = 0;
  for (size_t z = 0; z < w.size(); ++z) total += w[z] * std::pow(r[z] - b, 2) * squared_length(w, z);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("16", 2, "The best baseline");
  e.hint("Differentiate sum_z w_z (r_z - b)^2 |u(z)|^2 by b, and set it to 0.");
  e.hint("A mean of the rewards, in which choice z counts with w_z |u(z)|^2.");
  return e.run(argc, argv, [&] {
    struct Case {
      std::vector<double> e, r;
    };
    for (const Case& c :
         {Case{{.3, -1, .7}, {-2, -.5, -1.3}}, Case{{0, 0}, {-1, -3}}, Case{{2, 0, -1, 0}, {1, 5, -2, 0}}}) {
      std::vector<double> w;
      double total = 0;
      for (double x : c.e) total += std::exp(x);
      for (double x : c.e) w.push_back(std::exp(x) / total);
      double low = -10, high = 10;  // the smallest of a parabola lies between: cut by thirds
      for (int i = 0; i < 200; ++i) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (second_moment(w, c.r, a) < second_moment(w, c.r, b)) {
          high = b;
        } else {
          low = a;
        }
      }
      e.check(fmt::format("the best b of {} choices,", w.size()), best_baseline(w, c.r), low, 1e-5);
    }
  });
}
