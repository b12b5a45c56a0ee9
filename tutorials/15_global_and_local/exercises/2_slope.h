// Exercise 15.2: the gradient that reaches the centre.
//
//   w_s = u_s exp(-(s - p)^2 / (2 sigma^2))        u = softmax(e), without p        L = sum_s g_s w_s
//
// Derive dL/dp. g is the gradient of the loss with respect to the weights. The cut at round(p) has no derivative and is
// left out. Luong, Pham and Manning, EMNLP 2015, equations 9 and 10.
#pragma once

#include <cmath>
#include <vector>

namespace mine {

struct Row {
  std::vector<double> u, g;  // one number per position s = 0, 1, ..
  double sigma;
};

double slope(const Row& r, double p);  // dL/dp

inline double weight(const Row& r, double p, int s) {  // w_s, given
  return r.u[static_cast<std::size_t>(s)] * std::exp(-(s - p) * (s - p) / (2 * r.sigma * r.sigma));
}

}  // namespace mine
