#include "autograd/ops_softmax.h"

#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_index.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"
#include "autograd/targets.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"

namespace heed {
namespace {

// Kernels work on the last axis; any other one is brought there and back.
template <class F>
Variable along(const char* name, const Variable& x, int64_t axis, const F& f) {
  int at = normal_axis(name, axis, x.rank()), last = x.rank() - 1;
  return at == last ? f(x) : transpose(f(transpose(x, at, last)), at, last);
}

}  // namespace

Variable softmax(const Variable& x, int64_t axis) {
  return along("softmax", x, axis, [](const Variable& rows) {
    Tensor y = softmax_rows(rows.value());
    return attach("softmax", {rows}, y, [sy = save_output(y)](Grads& g, const Variable& dy) {
      if (!g.recording()) return g.add(0, softmax_rows_backward(g[sy].value(), dy.value()));
      Variable p = g[sy];
      g.add(0, p * (dy - sum(p * dy, {-1}, /*keep=*/true)));
    });
  });
}

Variable log_softmax(const Variable& x, int64_t axis) {
  return along("log_softmax", x, axis, [](const Variable& rows) {
    Tensor y = log_softmax_rows(rows.value());
    return attach("log_softmax", {rows}, y, [sy = save_output(y)](Grads& g, const Variable& dy) {
      g.add(0, dy - exp(g[sy]) * sum(dy, {-1}, /*keep=*/true));
    });
  });
}

namespace {

Targets check_targets(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& o) {
  Targets t = check_targets("cross_entropy", "logits", logits, targets, o.ignore_index);
  if (!(o.label_smoothing >= 0 && o.label_smoothing < 1))
    throw ValueError(fmt::format("cross_entropy: label smoothing must lie in [0, 1); got {}", o.label_smoothing));
  return t;
}

double scale_of(const Targets& t, const CrossEntropyOptions& o) {
  return o.reduction == Reduction::mean ? (t.number > 0 ? 1 / t.number : 0) : 1;
}

// loss[r] = lse - (1 - e) x[target] - e mean(x)   with lse = log sum exp x
template <class T>
void row_losses(const Tensor& x, const Tensor& lse, const Targets& t, double smoothing, Tensor& loss) {
  int64_t R = t.safe.count(), V = x.size(-1);
  Tensor totals = smoothing > 0 ? sum(x, {-1}) : Tensor();
  const bool* counts = t.counts.data<bool>();
  for (int64_t r = 0; r < R; ++r) {
    T value = 0;
    if (counts[r]) {
      value = lse.data<T>()[r] - static_cast<T>(1 - smoothing) * x.data<T>()[r * V + t.safe.data<int64_t>()[r]];
      if (smoothing > 0) value -= static_cast<T>(smoothing / static_cast<double>(V)) * totals.data<T>()[r];
    }
    loss.data<T>()[r] = value;
  }
}

}  // namespace

Variable cross_entropy(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& o) {
  Targets t = check_targets(logits, targets, o);
  int64_t R = targets.count(), V = logits.size(-1);
  Tensor x = logits.value().reshape({R, V}).contiguous(), loss = Tensor::empty({R}, x.dtype());
  Kernel kernel("cross_entropy", x.count());
  Tensor lse = logsumexp_rows(x);
  dispatch_float(x.dtype(), "cross_entropy",
                 [&](auto zero) { row_losses<decltype(zero)>(x, lse, t, o.label_smoothing, loss); });
  double scale = scale_of(t, o);
  Tensor y = o.reduction == Reduction::none ? loss.view(targets.shape()) : mul(sum(loss), scale);
  auto fast = [sx = save(logits), t, scale, o, R, V](Grads& g, const Variable& dy) {
    // [R]: what reaches each row; nothing where the target is ignored.
    Tensor d = masked_fill(o.reduction == Reduction::none ? dy.value().reshape({R}) : mul(dy.value(), scale),
                           logical_not(t.counts), 0);
    double off = o.label_smoothing / static_cast<double>(V), on = 1 - o.label_smoothing;
    Tensor dx = softmax_rows_minus(g[sx].value().reshape({R, V}), t.safe, d, on, off);
    g.add(0, dx.view(g[sx].shape()));
  };
  return attach_fused("cross_entropy", {logits}, y, fast, [sx = save(logits), st = save(targets), o](Grads& g) {
    return cross_entropy_composed(g[sx], g[st].value(), o);
  });
}

Variable cross_entropy_composed(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& o) {
  Targets t = check_targets(logits, targets, o);
  int64_t R = targets.count(), V = logits.size(-1);
  Variable log_p = log_softmax(reshape(logits, {R, V}));              // [R, V]
  Variable loss = -reshape(gather(log_p, t.safe.view({R, 1})), {R});  // [R]
  if (o.label_smoothing > 0)
    loss = (1 - o.label_smoothing) * loss - (o.label_smoothing / static_cast<double>(V)) * sum(log_p, {-1});
  loss = masked_fill(loss, logical_not(t.counts), 0);
  if (o.reduction == Reduction::none) return reshape(loss, targets.shape());
  return sum(loss) * scale_of(t, o);
}

}  // namespace heed
