#include "tutorials/12_bahdanau/exercises/2_find_the_fake.h"

#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace mine {

using namespace heed;

// | // The gap believes every attention.
int64_t keys_listened_to(const Attention& attention, const Tensor& query, const Tensor& keys) {
  // ---- the gap: change one key at a time ----
  // | return keys.size(0);
  // ---- filled ----
  Tensor before = attention(query, keys);
  int64_t count = 0;
  for (int64_t s = 0; s < keys.size(0); ++s) {
    Tensor other = keys.clone();
    for (int64_t k = 0; k < keys.size(1); ++k) other.set({s, k}, keys.at({s, k}) + static_cast<double>(k + 1));
    count += amax(abs(sub(attention(query, other), before))).item() > 0;
  }
  return count;
  // ---- end of the gap ----
}

}  // namespace mine
