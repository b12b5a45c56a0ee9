#include "autograd/ops_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_index.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"
#include "autograd/targets.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/elementwise_detail.h"
#include "tensor/profile.h"

namespace heed {
namespace {

void require_alike(const char* name, const Variable& x, const Variable& target) {
  if (!(x.shape() == target.shape()))
    throw ShapeError(fmt::format("{}: the prediction and its target must have one shape; got {} and {}", name,
                                 to_string(x.shape()), to_string(target.shape())));
  require_same_dtype(name, x.value(), target.value());
  dispatch_float(x.dtype(), name, [](auto) {});
}

Variable reduced(const char* name, const Variable& losses, Reduction reduction, int64_t count) {
  if (reduction == Reduction::none) return losses;
  Variable total = sum(losses);
  if (reduction == Reduction::sum) return total;
  if (count == 0)
    throw ValueError(fmt::format("{}: a mean needs at least one element; got {}", name, to_string(losses.shape())));
  return total / static_cast<double>(count);
}

}  // namespace

Variable mse_loss(const Variable& x, const Variable& target, Reduction reduction) {
  require_alike("mse_loss", x, target);
  return reduced("mse_loss", square(x - target), reduction, x.count());
}

Variable l1_loss(const Variable& x, const Variable& target, Reduction reduction) {
  require_alike("l1_loss", x, target);
  return reduced("l1_loss", abs(x - target), reduction, x.count());
}

namespace {

// c = min(|d|, delta):  c^2 / 2 + delta (|d| - c) is the parabola inside and the line outside, in one formula.
Variable huber(const Variable& d, double delta) {
  Tensor distance = abs(d.value()), c = clamp(distance, 0, delta);
  Tensor y = add(mul(square(c), 0.5), mul(sub(distance, c), delta));
  return attach("huber_loss", {d}, y,
                [sd = save(d), delta](Grads& g, const Variable& dy) { g.add(0, dy * clamp(g[sd], -delta, delta)); });
}

}  // namespace

Variable huber_loss(const Variable& x, const Variable& target, const HuberOptions& o) {
  require_alike("huber_loss", x, target);
  if (!(o.delta > 0)) throw ValueError(fmt::format("huber_loss: delta must be positive; got {}", o.delta));
  return reduced("huber_loss", huber(x - target, o.delta), o.reduction, x.count());
}

Variable smooth_l1_loss(const Variable& x, const Variable& target, const SmoothL1Options& o) {
  require_alike("smooth_l1_loss", x, target);
  if (!(o.beta >= 0)) throw ValueError(fmt::format("smooth_l1_loss: beta must not be negative; got {}", o.beta));
  Variable losses = o.beta > 0 ? huber(x - target, o.beta) / o.beta : abs(x - target);
  return reduced("smooth_l1_loss", losses, o.reduction, x.count());
}

Variable bce_loss(const Variable& x, const Variable& target, Reduction reduction) {
  require_alike("bce_loss", x, target);
  Tensor p = x.value(), t = target.value(), one = Tensor::scalar(1, p.dtype());
  std::vector<double> all = p.to_vector();
  for (size_t i = 0; i < all.size(); ++i)
    if (!(all[i] >= 0 && all[i] <= 1))
      throw ValueError(fmt::format(
          "bce_loss: probabilities must lie in [0, 1]; got {} at position {}; hint: logits go to bce_with_logits_loss",
          all[i], i));
  auto bounded_log = [](const Tensor& v) { return clamp(log(v), -100, 0); };
  Tensor y = neg(add(mul(t, bounded_log(p)), mul(sub(one, t), bounded_log(sub(one, p)))));
  Variable losses = attach("bce_loss", {x, target}, y, [sx = save(x), st = save(target)](Grads& g, const Variable& dy) {
    Variable q = g[sx];
    if (g.needs(0)) g.add(0, dy * (q - g[st]) / clamp(q * (1 - q), 1e-12, 1));
    if (g.needs(1)) g.add(1, dy * (clamp(log(1 - q), -100, 0) - clamp(log(q), -100, 0)));
  });
  return reduced("bce_loss", losses, reduction, x.count());
}

namespace {

// s = log(1 + e^-x) = max(-x, 0) + log(1 + e^-|x|),  ds = -sigmoid(-x) dx
Variable log_one_plus_exp_neg(const Variable& x) {
  Tensor in = x.value(), y = Tensor::empty(in.shape(), in.dtype());
  Kernel kernel("bce_with_logits_loss", in.count());
  dispatch_float(in.dtype(), "bce_with_logits_loss", [&](auto zero) {
    using T = decltype(zero);
    detail::map_scalars<T, T>(y, in, [](T v) { return (v < 0 ? -v : T{0}) + std::log1p(std::exp(-std::abs(v))); });
  });
  return attach("bce_with_logits_loss", {x}, y,
                [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, -dy * sigmoid(-g[sx])); });
}

}  // namespace

Variable bce_with_logits_loss(const Variable& x, const Variable& target, const BceLogitsOptions& o) {
  const char* name = "bce_with_logits_loss";
  require_alike(name, x, target);
  Variable extra;  // w - 1
  if (o.pos_weight.defined()) {
    require_same_dtype(name, x.value(), o.pos_weight);
    if (!(broadcast_shape(name, x.shape(), o.pos_weight.shape()) == x.shape()))
      throw ShapeError(fmt::format("{}: pos_weight must broadcast to the prediction; got {} and {}", name,
                                   to_string(o.pos_weight.shape()), to_string(x.shape())));
    extra = Variable(add(o.pos_weight, -1));
  }
  Tensor y;
  {
    NoGrad guard;
    Variable v(x.value()), t(target.value()), s = log_one_plus_exp_neg(v);
    y = ((1 - t) * v + (extra.defined() ? s + extra * t * s : s)).value();
  }
  auto gradient = [sx = save(x), st = save(target), extra](Grads& g, const Variable& dy) {
    Variable v = g[sx], t = g[st];
    if (g.needs(0)) {
      Variable p = sigmoid(v);
      g.add(0, dy * (extra.defined() ? p - t + extra * t * (p - 1) : p - t));
    }
    if (g.needs(1)) g.add(1, dy * (extra.defined() ? extra * log_one_plus_exp_neg(v) - v : -v));
  };
  return reduced(name, attach(name, {x, target}, y, gradient), o.reduction, x.count());
}

Variable kl_div(const Variable& x, const Variable& target, const KlDivOptions& o) {
  require_alike("kl_div", x, target);
  Tensor t = target.value(), y;
  if (o.log_target) {
    y = mul(exp(t), sub(t, x.value()));
  } else {
    Tensor zero = Tensor::scalar(0, t.dtype());
    y = where(equal(t, zero), zero, mul(t, sub(log(t), x.value())));
  }
  auto gradient = [log_target = o.log_target, sx = save(x), st = save(target)](Grads& g, const Variable& dy) {
    Variable log_q = g[sx], p = g[st];
    if (g.needs(0)) g.add(0, -dy * (log_target ? exp(p) : p));
    if (g.needs(1)) g.add(1, dy * (log_target ? exp(p) * (p - log_q + 1) : log(p) - log_q + 1));
  };
  int64_t rows = x.rank() ? x.size(0) : 1;
  return reduced("kl_div", attach("kl_div", {x, target}, y, gradient), o.reduction, rows);
}

Variable nll_loss(const Variable& log_p, const Tensor& targets, const NllOptions& o) {
  Targets t = check_targets("nll_loss", "log-probabilities", log_p, targets, o.ignore_index);
  int64_t R = targets.count(), V = log_p.size(-1);
  Variable losses = -reshape(gather(reshape(log_p, {R, V}), t.safe.view({R, 1})), {R});  // [R]
  losses = masked_fill(losses, logical_not(t.counts), 0);
  if (o.reduction == Reduction::none) return reshape(losses, targets.shape());
  double scale = o.reduction == Reduction::sum ? 1 : t.number > 0 ? 1 / t.number : 0;
  return sum(losses) * scale;
}

}  // namespace heed
