#include "tutorials/32_without_softmax/exercises/1_chunk.h"

#include <cmath>

namespace mine {
namespace {

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
// g^n
double power(double g, std::size_t n) { return std::pow(g, static_cast<double>(n)); }

}  // namespace

// | // The gap reads the state before the chunk, which has no word of the chunk, and leaves it as it is.
Rows chunk_step(Rows& S, const Rows& q, const Rows& k, const Rows& v, double g) {
  const std::size_t C = q.size(), K = S.size(), V = S[0].size();
  Rows o(C, Numbers(V, 0.0));
  // ---- the gap: about 10 lines: the outputs with both sums, then the state after the chunk ----
  // | for (std::size_t i = 0; i < C; ++i)
  // |   for (std::size_t r = 0; r < K; ++r)
  // |     for (std::size_t c = 0; c < V; ++c) o[i][c] += q[i][r] * S[r][c];
  // ---- filled ----
  for (std::size_t i = 0; i < C; ++i)
    for (std::size_t c = 0; c < V; ++c) {
      for (std::size_t r = 0; r < K; ++r) o[i][c] += power(g, i + 1) * q[i][r] * S[r][c];
      for (std::size_t j = 0; j <= i; ++j) o[i][c] += power(g, i - j) * dot(q[i], k[j]) * v[j][c];
    }
  for (std::size_t r = 0; r < K; ++r)
    for (std::size_t c = 0; c < V; ++c) {
      S[r][c] *= power(g, C);
      for (std::size_t j = 0; j < C; ++j) S[r][c] += power(g, C - 1 - j) * k[j][r] * v[j][c];
    }
  // ---- end of the gap ----
  return o;
}

}  // namespace mine
