#include "tutorials/26_transformer/exercises/1_three_masks.h"

namespace mine {

// | // With both gaps open every query may attend to every key.
Mask padding_mask(int64_t words, int64_t T, int64_t S) {
  Mask mask(static_cast<std::size_t>(T * S), 1);
  // ---- the gap, first half: hide the padding ----
  // ---- filled: hide the padding ----
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = words; j < S; ++j) mask[static_cast<std::size_t>(i * S + j)] = 0;
  // ---- end of the first half ----
  return mask;
}

Mask causal_mask(int64_t T, int64_t first) {
  int64_t S = first + T;
  Mask mask(static_cast<std::size_t>(T * S), 1);
  // ---- the gap, second half: hide later words ----
  // ---- filled: hide later words ----
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = first + i + 1; j < S; ++j) mask[static_cast<std::size_t>(i * S + j)] = 0;
  // ---- end of the gap ----
  return mask;
}

}  // namespace mine
