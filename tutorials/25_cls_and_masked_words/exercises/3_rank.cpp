#include "tutorials/25_cls_and_masked_words/exercises/3_rank.h"

namespace mine {

using namespace heed;

// The gap gives every translation the first place.
int64_t rank_of([[maybe_unused]] const Tensor& cosines, [[maybe_unused]] int64_t i) {
  // ---- the gap: count ----
  return 1;
  // ---- end of the gap ----
}

}  // namespace mine
