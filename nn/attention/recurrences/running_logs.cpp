#include "nn/attention/recurrences/running_logs.h"

#include <cmath>

#include "autograd/ops.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// After the round of `step`, word t holds the combination of the last 2 step words, and l their decay.
template <class Combine>
Variable scan_words(Variable x, Variable l, const Variable& before, const Combine& combine) {
  const bool starts = before.defined();
  if (starts) x = concat({before, x}, 2);
  if (starts && l.defined()) l = concat({Variable(Tensor::zeros(before.shape(), before.dtype())), l}, 2);
  for (int64_t step = 1, T = x.size(2); step < T; step *= 2) {
    Variable earlier = slice(x, 2, 0, T - step);
    if (l.defined()) {
      Variable own = slice(l, 2, step, T);
      earlier = earlier + own, l = concat({slice(l, 2, 0, step), own + slice(l, 2, 0, T - step)}, 2);
    }
    x = concat({slice(x, 2, 0, step), combine(slice(x, 2, step, T), earlier)}, 2);
  }
  return starts ? slice(x, 2, 1, x.size(2)) : x;
}

Tensor nothing_yet(const Variable& running) { return equal(running.value(), -INFINITY); }

}  // namespace

Variable running_maximum(const Variable& x, const Variable& decay, const Variable& before) {
  return scan_words(x, decay, before, [](const Variable& a, const Variable& b) { return maximum(a, b); });
}

Variable running_log_sum(const Variable& x, const Variable& before) {
  return scan_words(x, {}, before, [](const Variable& a, const Variable& b) {
    return logsumexp(stack({a, b}, 0), {0});
  });
}

Variable one_word_earlier(const Variable& running, const Variable& before) {
  Shape first = running.shape();
  first[2] = 1;
  Variable start = before.defined() ? before : Variable(Tensor::full(first, -INFINITY, running.dtype()));
  return concat({start, slice(running, 2, 0, running.size(2) - 1)}, 2);
}

Variable finite_scale(const Variable& running) { return masked_fill(running, nothing_yet(running), 0); }

Variable rescaled(const Variable& earlier, const Variable& running, const Variable& decay) {
  const Tensor none = nothing_yet(earlier);
  Variable change = masked_fill(earlier, none, 0) - finite_scale(running);
  return masked_fill(decay.defined() ? change + decay : change, none, 0);
}

}  // namespace heed::nn
