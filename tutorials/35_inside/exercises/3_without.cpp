#include "tutorials/35_inside/exercises/3_without.h"

namespace mine {

// | // The gap uses all heads.
Numbers without_head(const std::vector<Numbers>& contexts, const std::vector<Numbers>& W, std::size_t off) {
  const std::size_t H = contexts.size(), K = contexts[0].size();
  Numbers y(W.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    // ---- the gap: about 4 lines: the row of W times all heads but one ----
    // | for (std::size_t h = 0; h < H; ++h)
    // |   for (std::size_t k = 0; k < K; ++k) y[i] += W[i][h * K + k] * contexts[h][k];
    // ---- filled ----
    for (std::size_t h = 0; h < H; ++h)
      for (std::size_t k = 0; k < K; ++k)
        if (h != off) y[i] += W[i][h * K + k] * contexts[h][k];
    // ---- end of the gap ----
  }
  return y;
}

}  // namespace mine
