// Hints and checks of exercise 04.1.
#include "tutorials/04_softmax_and_masks/exercises/1_softmax.h"

#include <cmath>
#include <limits>
#include <string>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Row = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// softmax is checked once log_sum_exp is right.
void examine(app::Exercise& e) {
  struct Case {
    std::string name;
    Row x;
    double lse;
    Row p;
  };
  const double ln2 = 0.69314718055994531;
  const std::vector<Case> cases{
      {"[0, 0]", {0, 0}, ln2, {0.5, 0.5}},
      {"[0, ln 3]", {0, std::log(3)}, 2 * ln2, {0.25, 0.75}},
      {"[1000, 1000]", {1000, 1000}, 1000 + ln2, {0.5, 0.5}},
      {"[-1000, -1000]", {-1000, -1000}, -1000 + ln2, {0.5, 0.5}},
      {"[1000, 0, -1000]", {1000, 0, -1000}, 1000, {1, 0, 0}},
      {"[800, 0, 0, 0]", {800, 0, 0, 0}, 800, {1, 0, 0, 0}},
      {"[2, -inf, 2]", {2, -kInfinity, 2}, 2 + ln2, {0.5, 0, 0.5}},
      {"[-inf, -inf]", {-kInfinity, -kInfinity}, -kInfinity, {0, 0}},
  };
  bool right = true;
  for (const Case& c : cases) right = e.check("lse of " + c.name, mine::log_sum_exp(c.x), c.lse, 1e-12) && right;
  if (!right) return;
  for (const Case& c : cases) e.check("softmax of " + c.name, mine::softmax(c.x), c.p, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("04", 1, "A softmax that never overflows");
  e.hint("Let m be the largest logit: e^(x_i - m) is at most 1, and for the largest logit it is exactly 1.");
  e.hint("lse = m + log sum_j e^(x_j - m), and softmax is e^(x_i - lse).");
  e.hint("If m is -inf, then x_i - m is NaN: that row needs a line of its own.");
  e.insight(
      "Subtracting the maximum changes no weight, no exponential overflows, and the sum is never 0.\n"
      "Every attention of this course computes its weights in this way, with -inf for what is masked.",
      "./heed exercise 04 2");
  return e.run(argc, argv, examine);
}
