#include "tutorials/07_embeddings/exercises/2_noise.h"

#include <cmath>

namespace mine {

Vector probabilities(const Vector& count, double power) {
  Vector p(count.size(), 0.0);
  // ---- the gap: raise to the power, then divide by the sum ----
  // ---- filled ----
  double sum = 0;
  for (std::size_t w = 0; w < count.size(); ++w) sum += p[w] = count[w] > 0 ? std::pow(count[w], power) : 0;
  for (double& one : p) one /= sum;
  // ---- end of the gap ----
  return p;
}

std::size_t draw(const Vector& p, double r) {
  // ---- the gap: find the piece that contains r ----
  // | return 0;
  // ---- filled ----
  for (std::size_t w = 0; w < p.size(); ++w)
    if ((r -= p[w]) < 0) return w;
  std::size_t last = p.size() - 1;  // rounding: the sum of p may be a little below 1
  while (p[last] == 0) --last;      // a word of probability 0 is never drawn
  return last;
  // ---- end of the gap ----
}

}  // namespace mine
