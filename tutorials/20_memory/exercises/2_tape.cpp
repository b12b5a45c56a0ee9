#include "tutorials/20_memory/exercises/2_tape.h"

#include <algorithm>
#include <cmath>

namespace mine {

Summary summary(const Rows& h, const Rows& c, const Rows& keys, const Vector& q, const Vector& v, std::size_t tape) {
  Summary out{Vector(v.size(), 0), Vector(v.size(), 0)};
  // ---- the gap, about 15 lines: where the tape begins, the scores, their softmax, two weighted sums ----
  // ---- filled ----
  if (h.empty()) return out;
  const std::size_t first = tape > 0 && h.size() > tape ? h.size() - tape : 0;
  Vector e;
  for (std::size_t i = first; i < h.size(); ++i) {
    double score = 0;
    for (std::size_t a = 0; a < v.size(); ++a) score += v[a] * std::tanh(keys[i][a] + q[a]);
    e.push_back(score);
  }
  const double largest = *std::max_element(e.begin(), e.end());
  double total = 0;
  for (double& x : e) total += x = std::exp(x - largest);
  for (std::size_t i = first; i < h.size(); ++i)
    for (std::size_t a = 0; a < v.size(); ++a) {
      out.h[a] += e[i - first] / total * h[i][a];
      out.c[a] += e[i - first] / total * c[i][a];
    }
  // ---- end of the gap ----
  return out;
}

}  // namespace mine
