#include "tutorials/25_cls_and_masked_words/exercises/1_eighty_ten_ten.h"

namespace mine {

// | // The gap replaces every word by [MASK].
int64_t in_place_of(int64_t word, int64_t other, double chance) {
  // ---- the gap: 80, 10, 10 ----
  // | return kMask;
  // ---- filled ----
  if (chance < 0.8) return kMask;
  return chance < 0.9 ? other : word;
  // ---- end of the gap ----
}

}  // namespace mine
