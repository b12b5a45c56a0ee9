#include "tutorials/20_memory/exercises/3_head.h"

#include <algorithm>
#include <cmath>

namespace mine {

Vector address(const Control& control, const std::vector<Vector>& M, const Vector& before) {
  Vector w(before.size(), 0);
  // ---- the gap, about 25 lines: content, gate, shift, sharpening, in this order ----
  // ---- filled ----
  const std::size_t N = M.size(), R = control.shift.size() / 2;
  auto product = [](const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  Vector content(N);
  for (std::size_t i = 0; i < N; ++i)
    content[i] = control.strength * product(control.key, M[i]) /
                 std::sqrt(product(control.key, control.key) * product(M[i], M[i]));
  const double largest = *std::max_element(content.begin(), content.end());
  double total = 0;
  for (double& x : content) total += x = std::exp(x - largest);
  Vector gated(N);
  for (std::size_t i = 0; i < N; ++i) gated[i] = control.gate * content[i] / total + (1 - control.gate) * before[i];
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < control.shift.size(); ++j)  // r = j - R, so i - r = i + R - j
      w[i] += control.shift[j] * gated[(i + R + N * control.shift.size() - j) % N];
  total = 0;
  for (double& x : w) total += x = std::pow(x, control.power);
  for (double& x : w) x /= total;
  // ---- end of the gap ----
  return w;
}

}  // namespace mine
