// Exercise 04.2: the gradient of cross-entropy, with a temperature and with label smoothing.
//
//   z_i = x_i / t        p = softmax(z)        L = -sum_i q_i log p_i        q_i = (1 - e) [i = y] + e / V
//
// x: logits, V of them; t: temperature; y: the right word; e: label smoothing. [i = y] is 1 for i = y, else 0.
// Derive dL/dx_i and dL/dt on paper, then write them as code. Two steps help: log p_i = z_i - log sum_j e^z_j, whose
// derivative by z_k is [i = k] - p_k; and sum_i q_i = 1. The check compares with differences of L.
#include <cmath>
#include <vector>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

using namespace heed;

struct Setting {
  double t, e;
  size_t y;
};

std::vector<double> softmax(const std::vector<double>& z) {  // z small here: nothing overflows
  double sum = 0;
  for (double v : z) sum += std::exp(v);
  std::vector<double> p;
  for (double v : z) p.push_back(std::exp(v) / sum);
  return p;
}
std::vector<double> divided(std::vector<double> x, double t) {
  for (double& v : x) v /= t;
  return x;
}
std::vector<double> target(size_t V, const Setting& s) {
  std::vector<double> q(V, s.e / static_cast<double>(V));
  q[s.y] += 1 - s.e;
  return q;
}
double loss(const std::vector<double>& x, const Setting& s) {
  std::vector<double> p = softmax(divided(x, s.t)), q = target(x.size(), s);
  double L = 0;
  for (size_t i = 0; i < x.size(); ++i) L -= q[i] * std::log(p[i]);
  return L;
}

// --- the gap: both are zero as long as nobody has derived them ---
std::vector<double> dloss_dx(const std::vector<double>& x, [[maybe_unused]] const Setting& s) {
  return std::vector<double>(x.size(), 0.0);
}
double dloss_dt([[maybe_unused]] const std::vector<double>& x, [[maybe_unused]] const Setting& s) { return 0; }
// --- end of the gap ---

int main(int argc, char** argv) {
  app::Exercise e("04", 2, "The gradient of cross-entropy");
  e.hint("dL/dz_k = -sum_i q_i ([i = k] - p_k) = p_k sum_i q_i - q_k. What is sum_i q_i?");
  e.hint("x_k acts through z_k = x_k / t alone, so dL/dx_k = dL/dz_k / t.");
  e.hint("t acts through every z_k: dz_k/dt = -x_k / t^2, and dL/dt = sum_k dL/dz_k dz_k/dt.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    const double h = 1e-5;
    for (const Setting& s : {Setting{1, 0, 2}, Setting{2, 0, 0}, Setting{0.5, 0.1, 4}, Setting{3, 0.3, 1}}) {
      std::vector<double> x, numeric;
      for (int i = 0; i < 5; ++i) x.push_back(4 * rng.uniform() - 2);
      for (size_t i = 0; i < x.size(); ++i) {
        std::vector<double> up = x, down = x;
        up[i] += h, down[i] -= h;
        numeric.push_back((loss(up, s) - loss(down, s)) / (2 * h));
      }
      std::string where = "at t = " + std::to_string(s.t).substr(0, 3) + ", e = " + std::to_string(s.e).substr(0, 3);
      e.check("dL/dx " + where + ", ", dloss_dx(x, s), numeric, 1e-8);
      double by_t = (loss(x, {s.t + h, s.e, s.y}) - loss(x, {s.t - h, s.e, s.y})) / (2 * h);
      e.check("dL/dt " + where, dloss_dt(x, s), by_t, 1e-8);
    }
  });
}
