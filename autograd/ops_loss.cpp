#include "autograd/ops_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/chain_rule.h"
#include "autograd/ops.h"
#include "autograd/shorthand.h"

namespace heed {
namespace {

void require_alike(const char* name, const Variable& x, const Variable& target) {
  if (!(x.shape() == target.shape()))
    throw ShapeError(fmt::format("{}: the prediction and its target must have one shape; got {} and {}", name,
                                 to_string(x.shape()), to_string(target.shape())));
  require_same_dtype(name, x.value(), target.value());
  require_float(name, x.dtype());
}

Tensor times(const Tensor& x, double s) { return s == 1 ? x : mul(x, s); }

// n: the divisor of the mean. A mean may fit the type although a square or a product in it does not. If it is not
// finite, it is computed again from the losses times s <= 1 / count, none of which exceeds the mean, and divided by s.
// The gradients do not need the losses.
template <class F>
Variable reduced(const char* name, const Variable& losses, Reduction reduction, int64_t n, const F& losses_times) {
  if (reduction == Reduction::none) return losses;
  if (reduction == Reduction::sum) return sum(losses);
  if (n == 0)
    throw ValueError(fmt::format("{}: a mean needs at least one element; got {}", name, to_string(losses.shape())));
  Variable plain = n == losses.count() ? mean(losses) : mean_of(losses, static_cast<double>(n));
  if (std::isfinite(plain.item())) return plain;
  double s = std::exp2(-std::ceil(std::log2(static_cast<double>(losses.count()))));
  Tensor y = mul(sum(losses_times(s)), 1 / (static_cast<double>(n) * s));
  return attach_linear("mean", losses, y, [n, shape = losses.shape()](const Variable& dy) {
    return expand(dy / static_cast<double>(n), shape);
  });
}

// share(a, b) = a b, but 0 where a = 0 and b is not finite: an infinite logarithm with the weight 0, or an infinite
// slope times 0. counts_as_zero is true at those elements.
Tensor counts_as_zero(const Tensor& a, const Tensor& b) { return logical_and(equal(a, 0), logical_not(isfinite(b))); }
Tensor share(const Tensor& a, const Tensor& b) {
  return mul(a, all_finite(b) ? b : masked_fill(b, counts_as_zero(a, b), 0));
}
Variable share(const Variable& a, const Variable& b) {
  return a * (all_finite(b.value()) ? b : masked_fill(b, counts_as_zero(a.value(), b.value()), 0));
}

Variable l1(const char* name, const Variable& x, const Variable& target, Reduction reduction) {
  Tensor v = x.value(), t = target.value();
  auto losses_times = [&](double s) { return abs(sub(times(v, s), times(t, s))); };
  return reduced(name, abs(x - target), reduction, x.count(), losses_times);
}

}  // namespace

Variable mse_loss(const Variable& x, const Variable& target, Reduction reduction) {
  require_alike("mse_loss", x, target);
  Tensor v = x.value(), t = target.value();
  auto losses_times = [&](double s) { return mul(sub(times(v, s), times(t, s)), sub(v, t)); };
  return reduced("mse_loss", square(x - target), reduction, x.count(), losses_times);
}

Variable l1_loss(const Variable& x, const Variable& target, Reduction reduction) {
  require_alike("l1_loss", x, target);
  return l1("l1_loss", x, target, reduction);
}

namespace {

// c = min(|d|, delta):  c^2 / 2 + delta (|d| - c) is the parabola inside and the line outside, in one formula. All of
// it is divided by `unit` (1, or beta in smooth L1), before c is squared: c^2 may overflow where c^2 / unit does not.
Tensor huber_times(const Tensor& x, const Tensor& target, double delta, double unit, double s) {
  Tensor d = abs(sub(x, target)), c = clamp(d, 0, delta), scaled = s == 1 ? d : abs(sub(mul(x, s), mul(target, s)));
  Tensor share = times(c, s);
  return add(mul(share, mul(div(c, unit), 0.5)), mul(sub(scaled, share), delta / unit));
}
Variable huber(const char* name, const Variable& x, const Variable& target, double delta, double unit,
               Reduction reduction) {
  Variable d = x - target;
  Tensor v = x.value(), t = target.value();
  auto losses_times = [&](double s) { return huber_times(v, t, delta, unit, s); };
  auto gradient = [sd = save(d), delta, unit](Grads& g, const Variable& dy) {
    g.add(0, chain_times(dy, clamp(g[sd], -delta, delta) / unit));
  };
  return reduced(name, attach("huber_loss", {d}, losses_times(1), gradient), reduction, x.count(), losses_times);
}

}  // namespace

Variable huber_loss(const Variable& x, const Variable& target, const HuberOptions& o) {
  require_alike("huber_loss", x, target);
  if (!(o.delta > 0 && o.delta < INFINITY))
    throw ValueError(fmt::format("huber_loss: delta must be positive and finite; got {}", o.delta));
  require_fits("huber_loss", o.delta, x.dtype());
  return huber("huber_loss", x, target, o.delta, 1, o.reduction);
}

Variable smooth_l1_loss(const Variable& x, const Variable& target, const SmoothL1Options& o) {
  require_alike("smooth_l1_loss", x, target);
  if (!(o.beta >= 0 && o.beta < INFINITY))
    throw ValueError(fmt::format("smooth_l1_loss: beta must be finite and not negative; got {}", o.beta));
  require_fits("smooth_l1_loss", o.beta, x.dtype());
  if (o.beta == 0) return l1("smooth_l1_loss", x, target, o.reduction);
  return huber("smooth_l1_loss", x, target, o.beta, o.beta, o.reduction);
}

Variable bce_loss(const Variable& x, const Variable& target, Reduction reduction) {
  require_alike("bce_loss", x, target);
  Tensor p = x.value(), t = target.value();
  std::vector<double> all = p.to_vector();
  for (size_t i = 0; i < all.size(); ++i)
    if (!(all[i] >= 0 && all[i] <= 1))
      throw ValueError(fmt::format(
          "bce_loss: probabilities must lie in [0, 1]; got {} at position {}; hint: logits go to bce_with_logits_loss",
          all[i], i));
  auto bounded = [](const auto& logarithm) { return clamp(logarithm, -100, 0); };
  auto losses_times = [=](double s) {
    return neg(add(mul(times(t, s), bounded(log(p))), mul(times(sub(1, t), s), bounded(log1p(neg(p))))));
  };
  Variable losses = attach("bce_loss", {x, target}, losses_times(1),
                           [=, sx = save(x), st = save(target)](Grads& g, const Variable& dy) {
                             Variable q = g[sx];
                             if (g.needs(0)) g.add(0, chain_times(dy, (q - g[st]) / clamp(q * (1 - q), 1e-12, 1)));
                             if (g.needs(1)) g.add(1, chain_times(dy, bounded(log1p(-q)) - bounded(log(q))));
                           });
  return reduced("bce_loss", losses, reduction, x.count(), losses_times);
}

Variable bce_with_logits_loss(const Variable& x, const Variable& target, const BceLogitsOptions& o) {
  const char* name = "bce_with_logits_loss";
  require_alike(name, x, target);
  if (o.pos_weight.defined()) {
    require_same_dtype(name, x.value(), o.pos_weight);
    if (!(broadcast_shape(name, x.shape(), o.pos_weight.shape()) == x.shape()))
      throw ShapeError(fmt::format("{}: pos_weight must broadcast to the prediction; got {} and {}", name,
                                   to_string(o.pos_weight.shape()), to_string(x.shape())));
  }
  auto s = [](const auto& v) { return softplus(v, {.threshold = INFINITY}); };
  Tensor v = x.value(), t = target.value(), pos_weight = o.pos_weight;
  auto losses_times = [=](double by) {
    Tensor wt = pos_weight.defined() ? share(times(t, by), pos_weight) : times(t, by);
    return add(share(times(sub(1, t), by), s(v)), share(wt, s(neg(v))));
  };
  auto gradient = [=, sx = save(x), st = save(target), sw = save_optional(o.pos_weight)](Grads& g, const Variable& dy) {
    Variable in = g[sx];
    Tensor w = sw.in(g);
    if (g.needs(0)) {
      Variable to = g[st], positive = sigmoid(-in) * to;
      g.add(0, chain_times(dy, (1 - to) * sigmoid(in) - (w.defined() ? share(positive, Variable(w)) : positive)));
    }
    if (g.needs(1)) g.add(1, chain_times(dy, w.defined() ? share(Variable(w), s(-in)) - s(in) : -in));
  };
  return reduced(name, attach(name, {x, target}, losses_times(1), gradient), o.reduction, x.count(), losses_times);
}

Variable kl_div(const Variable& x, const Variable& target, const KlDivOptions& o) {
  require_alike("kl_div", x, target);
  Tensor t = target.value(), p = o.log_target ? exp(t) : t, log_p = o.log_target ? t : log(t);
  auto losses_times = [&](double s) { return share(times(p, s), sub(log_p, x.value())); };
  auto gradient = [log_target = o.log_target, sx = save(x), st = save(target)](Grads& g, const Variable& dy) {
    Variable to = g[st], probability = log_target ? exp(to) : to;
    if (g.needs(0)) g.add(0, chain_times(-dy, probability));
    if (!g.needs(1)) return;
    Variable rest = (log_target ? to : log(to)) - g[sx] + 1;
    g.add(1, chain_times(dy, log_target ? share(probability, rest) : rest));
  };
  int64_t rows = x.rank() ? x.size(0) : 1;
  return reduced("kl_div", attach("kl_div", {x, target}, losses_times(1), gradient), o.reduction, rows, losses_times);
}

}  // namespace heed
