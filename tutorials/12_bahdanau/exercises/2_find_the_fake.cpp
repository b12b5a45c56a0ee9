#include "tutorials/12_bahdanau/exercises/2_find_the_fake.h"

#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace mine {

using namespace heed;

// The gap believes every attention.
int64_t keys_listened_to([[maybe_unused]] const Attention& attention, [[maybe_unused]] const Tensor& query,
                         const Tensor& keys) {
  // ---- the gap: change one key at a time ----
  return keys.size(0);
  // ---- end of the gap ----
}

}  // namespace mine
