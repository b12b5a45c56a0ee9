#include "tutorials/10_fixed_vector/exercises/1_teacher_forcing.h"

#include <algorithm>

namespace mine {

// | // The gap gives the decoder at each step the very symbol that it has to predict: its loss falls to 0, and it
// | // learns nothing but to copy its input.
Forced force(const std::vector<int64_t>& symbols, std::size_t T) {
  Forced f{Row(T, kPad), Row(T, kPad), Row(T, 0)};
  // ---- the gap: shift the input by one place, end the target with </s>, and mask the padding ----
  // | for (std::size_t t = 0; t < symbols.size(); ++t) {
  // |   f.input[t] = static_cast<double>(symbols[t]);
  // |   f.target[t] = static_cast<double>(symbols[t]);
  // |   f.mask[t] = 1;
  // | }
  // ---- filled ----
  f.input[0] = kStart;
  for (std::size_t t = 0; t < symbols.size(); ++t) f.target[t] = f.input[t + 1] = static_cast<double>(symbols[t]);
  f.target[symbols.size()] = kStop;
  std::fill_n(f.mask.begin(), symbols.size() + 1, 1.0);
  // ---- end of the gap ----
  return f;
}

}  // namespace mine
