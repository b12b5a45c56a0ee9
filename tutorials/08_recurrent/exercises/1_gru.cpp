#include "tutorials/08_recurrent/exercises/1_gru.h"

namespace mine {

using namespace heed;

// | // The gap has no gates: it is a plain RNN, which uses the third part of a and b only.
Variable gru_step(const Variable& a, const Variable& b, const Variable& h) {
  int64_t N = h.size(1);
  auto from_x = split(a, {N, N, N}, 1), from_h = split(b, {N, N, N}, 1);  // parts for r, z, n: [B, N] each
  // ---- the gap: add the gates ----
  // | return tanh(from_x[2] + from_h[2]);
  // ---- filled ----
  Variable r = sigmoid(from_x[0] + from_h[0]);
  Variable z = sigmoid(from_x[1] + from_h[1]);
  Variable n = tanh(from_x[2] + r * from_h[2]);
  return (1 - z) * n + z * h;
  // ---- end of the gap ----
}

}  // namespace mine
