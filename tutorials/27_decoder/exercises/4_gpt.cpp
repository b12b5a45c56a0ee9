#include "tutorials/27_decoder/exercises/4_gpt.h"

#include <cmath>

namespace mine {

using namespace heed;

// | // The gap scores each next word by the word alone: no positions, no layers.
Variable gpt(const Gpt& g, const Tensor& ids) {
  Variable x = embedding(g.words, ids);  // [B, T, D]
  // ---- the gap: about 7 lines ----
  // | // 1. The vectors of the words times sqrt(D), plus the positions.
  // | // 2. Through all layers, each with its two sub-layers.
  // | // 3. The last norm.
  // ---- filled ----
  x = x * std::sqrt(static_cast<double>(g.words.size(1)));
  x = x + g.positions;
  for (const GptLayer& l : g.layers) {
    x = x + l.attention(l.norm1(x));
    x = x + l.feed_forward(l.norm2(x));
  }
  x = g.norm(x);
  // ---- end of the gap ----
  return matmul(x, transpose(g.words, 0, 1));
}

}  // namespace mine
