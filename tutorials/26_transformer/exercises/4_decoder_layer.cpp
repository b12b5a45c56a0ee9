#include "tutorials/26_transformer/exercises/4_decoder_layer.h"

namespace mine {

using namespace heed;

// | // The gap has the layer of an encoder: nothing reads the source.
Variable decoder_layer(const SubLayers& l, Variable x, const Variable& m) {
  // ---- the gap: three sub-layers ----
  // | x = x + l.self_attention(l.norm1(x));
  // | x = x + l.feed_forward(l.norm2(x));
  // ---- filled ----
  x = x + l.self_attention(l.norm1(x));
  x = x + l.cross_attention(l.norm2(x), m);
  x = x + l.feed_forward(l.norm3(x));
  // ---- end of the gap ----
  return x;
}

}  // namespace mine
