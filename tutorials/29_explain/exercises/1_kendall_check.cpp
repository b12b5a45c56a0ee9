// Hints and checks of exercise 29.1.
#include "tutorials/29_explain/exercises/1_kendall.h"

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Values = std::vector<double>;

struct Counts {
  double same = 0, opposite = 0, ties_a = 0, ties_b = 0, pairs = 0;
};
Counts count(const Values& a, const Values& b) {
  Counts c;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = i + 1; j < a.size(); ++j) {
      double product = (a[i] - a[j]) * (b[i] - b[j]);
      c.same += product > 0;
      c.opposite += product < 0;
      c.ties_a += a[i] == a[j];
      c.ties_b += b[i] == b[j];
      c.pairs += 1;
    }
  return c;
}
double root(const Counts& c) { return std::sqrt((c.pairs - c.ties_a) * (c.pairs - c.ties_b)); }
double over(double a, double b) { return b > 0 ? a / b : 0; }

void examine(app::Exercise& e) {
  Generator rng(5);
  auto drawn = [&](size_t T, bool ties) {
    Values out(T);
    for (double& x : out) x = ties ? static_cast<double>(rng.below(3)) : rng.normal();
    return out;
  };
  Values a{3, 1, 2, 0}, b{30, 10, 20, 5};
  e.check("two lists in the same order", mine::kendall_tau(a, b), 1, 1e-12);
  e.check("one pair exchanged", mine::kendall_tau({3, 1, 2, 0}, {3, 2, 1, 0}), 4.0 / 6, 1e-12);
  for (size_t T : {7U, 12U}) {
    Values x = drawn(T, true), y = drawn(T, true), z = drawn(T, false);
    for (size_t i = 0; i < T; ++i) y[i] += i % 2 == 0 ? x[i] : 0;
    Counts c = count(x, y), d = count(x, z);
    e.check("ties in both", mine::kendall_tau(x, y), over(c.same - c.opposite, root(c)), 1e-12);
    e.check("ties in one", mine::kendall_tau(x, z), over(d.same - d.opposite, root(d)), 1e-12);
  }
  e.check("all numbers of a are equal", mine::kendall_tau({1, 1, 1}, {1, 2, 3}), 0, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("29", 1, "Kendall's tau");
  e.hint("The sign of a_i - a_j says how a orders the pair: 1, -1, or 0 for a tie. The same for b.");
  e.hint("The product of the two signs is what the pair adds to C - D.");
  e.hint("P - A is the number of pairs that a orders at all. Count it in the same loop.");
  e.insight(
      "Tau sees the order only: 0.9 and 0.1 count as much as 0.51 and 0.49. So the order of the many words that "
      "matter\n"
      "to nobody counts as much as that of the few that decide.",
      "./heed exercise 29 2");
  return e.run(argc, argv, examine);
}
