#include "nn/attention/mixers/selective.h"

#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Variable selective_masking(const Variable& e, const Tensor& words) {
  const int64_t T = e.size(-1);
  Tensor never = mask_of_distances("selective", {.queries = T, .keys = T}, [](int64_t d) { return d >= 0; });
  if (!words.defined())
    for (int64_t t = 0; t < T; ++t) never.set({t, 0}, 1);
  Variable S = masked_fill(relu(e), never, 0);
  if (words.defined()) {
    Tensor first = logical_and(words, equal(cumsum(words.to(DType::f32), -1), 1));  // [B, T]
    S = masked_fill(masked_fill(S, first.unsqueeze(1), 0), logical_not(words).unsqueeze(-1), 0);
  }
  if (T == 0) return S;
  Variable total = cumsum(S, -2);  // shifted down by a row: total - S would lose digits after a large S
  return pad(slice(total, -2, 0, T - 1), {{.axis = -2, .before = 1}});
}

Attended SelectiveMixer::read(const OwnHeads& h) const {
  Variable e = h.scores();
  return attend(e - unsqueeze(selective_masking(select(e, 1, 0), h.words), 1), h.v, h.allowed);
}

}  // namespace heed::nn
