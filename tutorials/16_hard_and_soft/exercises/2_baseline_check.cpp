// Hints and checks of exercise 16.2.
#include "tutorials/16_hard_and_soft/exercises/2_baseline.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::squared_length;
using Numbers = std::vector<double>;

double second_moment(const Numbers& w, const Numbers& r, double b) {
  double total = 0;
  for (size_t z = 0; z < w.size(); ++z) total += w[z] * (r[z] - b) * (r[z] - b) * squared_length(w, z);
  return total;
}

double minimum(const Numbers& w, const Numbers& r) {  // of a parabola in b: ternary search
  double low = -10, high = 10;
  for (int i = 0; i < 200; ++i) {
    double a = low + (high - low) / 3, b = high - (high - low) / 3;
    bool left = second_moment(w, r, a) < second_moment(w, r, b);
    (left ? high : low) = left ? b : a;
  }
  return low;
}

void examine(app::Exercise& e) {
  struct Case {
    Numbers e, r;
  };
  for (const Case& c :
       {Case{{.3, -1, .7}, {-2, -.5, -1.3}}, Case{{0, 0}, {-1, -3}}, Case{{2, 0, -1, 0}, {1, 5, -2, 0}}}) {
    Numbers w;
    double total = 0;
    for (double x : c.e) total += std::exp(x);
    for (double x : c.e) w.push_back(std::exp(x) / total);
    e.check(fmt::format("the best b of {} choices, against a search for the minimum,", w.size()),
            mine::best_baseline(w, c.r), minimum(w, c.r), 1e-5);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("16", 2, "The best baseline");
  e.hint("Differentiate sum_z w_z (r_z - b)^2 |u(z)|^2 by b, and set the derivative to 0.");
  e.hint("The result is a mean of the rewards in which choice z counts with w_z |u(z)|^2.");
  e.hint("A mean with weights: divide by the sum of these weights.");
  e.insight(
      "A choice whose gradient is long adds more variance, so its reward counts more than its probability says.\n"
      "In practice the mean reward is used: it is nearly as good, and needs no length of a gradient.",
      "./heed exercise 16 3");
  return e.run(argc, argv, examine);
}
