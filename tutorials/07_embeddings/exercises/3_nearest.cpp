#include "tutorials/07_embeddings/exercises/3_nearest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mine {

std::vector<std::size_t> nearest(const std::vector<Vector>& vectors, std::size_t word, std::size_t count) {
  std::vector<std::size_t> rows(vectors.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});  // 0, 1, 2, ..
  // ---- the gap: remove `word`, and sort the other rows by their cosine ----
  // ---- filled ----
  auto dot = [](const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
  auto cosine = [&](std::size_t row) {
    const Vector &a = vectors[word], &b = vectors[row];
    return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
  };
  std::erase(rows, word);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return cosine(a) > cosine(b); });
  // ---- end of the gap ----
  rows.resize(std::min(count, rows.size()));
  return rows;
}

}  // namespace mine
