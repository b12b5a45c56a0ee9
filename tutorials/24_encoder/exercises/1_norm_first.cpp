#include "tutorials/24_encoder/exercises/1_norm_first.h"

namespace mine {

using namespace heed;

// | // The gap has the layer of the paper, norm last.
Variable layer(const nn::TransformerLayer& l, Variable x) {
  // ---- the gap: each norm before its sub-layer ----
  // | x = l.norm1(x + (*l.self_attn)(x).output);
  // | return l.norm2(x + l.feed_forward(x));
  // ---- filled ----
  x = x + (*l.self_attn)(l.norm1(x)).output;
  return x + l.feed_forward(l.norm2(x));
  // ---- end of the gap ----
}

}  // namespace mine
