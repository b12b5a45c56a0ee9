// Exercise 14.3: an additive score by hand, and what the bias is for.
//
//   e(q, k) = v_1 tanh(w_1 q + u_1 k + b_1) + v_2 tanh(w_2 q + u_2 k + b_2),      q, k numbers
//
// Choose the numbers so that of the keys -3, -2, .., 3 the one equal to the query has the largest score, for each
// query. Without a bias e(-q, -k) = -e(q, k): who wins for q loses for -q.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

struct Unit {
  double v, w, u, b;
};

std::array<Unit, 2> units() {
  // ---- the gap, filled ----
  return {{{1, 1, -1, 1}, {-1, 1, -1, -1}}};
  // ---- end of the gap ----
}

double score(double q, double k) {
  double e = 0;
  for (const Unit& h : units()) e += h.v * std::tanh(h.w * q + h.u * k + h.b);
  return e;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("14", 3, "An additive score by hand");
  e.hint("Only q - k should count. Which w and u give that?");
  e.hint("A step up at x = -1 and a step down at x = 1 make a bump at x = 0.");
  return e.run(argc, argv, [&] {
    for (int q = -3; q <= 3; ++q) {
      int best = -3;
      for (int k = -3; k <= 3; ++k)
        if (score(q, k) > score(q, best)) best = k;
      e.check(fmt::format("the key that wins for the query {}", q), best, q, 0.1);
    }
  });
}
