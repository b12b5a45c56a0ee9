#include "tutorials/12_bahdanau/exercises/1_additive.h"

namespace mine {

using namespace heed;

// | // The gap returns the mean of all positions: it gives every position the same weight, padding included.
Attended additive(const Variable& q, const Variable& h, const Variable& W_q, const Variable& W_k, const Variable& v,
                  int64_t words) {
  int64_t S = h.size(0);
  // ---- the gap: score, hide the padding, softmax ----
  // | Variable w(Tensor::full({S}, 1.0 / static_cast<double>(S), h.dtype()));
  // ---- filled ----
  Variable scores = matmul(tanh(linear(h, W_k, {}) + linear(q, W_q, {})), v);  // [S]
  Variable w = softmax(slice(scores, 0, 0, words), 0);
  if (words < S) w = concat({w, Variable(Tensor::zeros({S - words}, h.dtype()))}, 0);
  // ---- end of the gap ----
  return {w, matmul(w, h)};
}

}  // namespace mine
