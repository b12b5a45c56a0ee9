#include "tutorials/33_pictures/exercises/2_mask.h"

namespace mine {
namespace {

// The part of place i of a rolled axis: places of one window with equal parts lie on the same side of the seam.
int64_t part(int64_t i, int64_t length, int64_t M) {
  // ---- the gap: 1 after the seam, 0 before it ----
  // | // Now: no seam.
  // | (void)i;
  // | (void)length;
  // | (void)M;
  // | return 0;
  // ---- filled ----
  return i >= length - M / 2 ? 1 : 0;
  // ---- end of the gap ----
}

}  // namespace

Mask shifted_mask(int64_t R, int64_t C, int64_t M) {
  Mask mask;
  for (int64_t top = 0; top < R; top += M)
    for (int64_t left = 0; left < C; left += M) {
      mask.emplace_back();
      for (int64_t i = 0; i < M * M; ++i) {
        mask.back().emplace_back();
        for (int64_t j = 0; j < M * M; ++j) {
          bool allowed = true;
          // ---- the gap: may slot i attend to slot j? Slot i is row i / M and column i % M of the window ----
          // | // Now: always.
          // ---- filled ----
          allowed = part(top + i / M, R, M) == part(top + j / M, R, M) &&
                    part(left + i % M, C, M) == part(left + j % M, C, M);
          // ---- end of the gap ----
          mask.back().back().push_back(allowed);
        }
      }
    }
  return mask;
}

}  // namespace mine
