#include "tutorials/07_embeddings/exercises/1_gradient.h"

#include <cmath>

namespace mine {

static double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

Gradients gradients(const Vector& v, const std::vector<Vector>& u) {
  Gradients g{Vector(v.size(), 0.0), std::vector<Vector>(u.size(), Vector(v.size(), 0.0))};
  // ---- the gap: the score of each row of u, its gradient, and from it the gradients of v and u ----
  // ---- filled: the score of each row of u, its gradient, the gradients of v and u ----
  for (std::size_t k = 0; k < u.size(); ++k) {
    double score = 0;
    for (std::size_t d = 0; d < v.size(); ++d) score += u[k][d] * v[d];
    double error = sigmoid_of(score) - (k == 0 ? 1 : 0);
    for (std::size_t d = 0; d < v.size(); ++d) {
      g.v[d] += error * u[k][d];
      g.u[k][d] = error * v[d];
    }
  }
  // ---- end of the gap ----
  return g;
}

}  // namespace mine
