#include "autograd/ops_softmax.h"

#include <fmt/format.h>

#include "autograd/ops_arithmetic.h"
#include "autograd/ops_index.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"
#include "autograd/shorthand.h"
#include "tensor/elementwise.h"

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

// Classes, one for each of R rows. `counts`: the target is not ignored. `safe`: indices that can be looked up, 0 where
// a target is ignored.
struct Classes {
  Tensor counts, safe;  // [R] bool, [R] i64
  double number = 0;    // of those that count
};

// rows [.., V], targets [..] i64, each in [0, V) or ignore_index. `rows_name` is what errors call the rows.
Classes classes_of(const char* operation, const char* rows_name, const Variable& rows, const Tensor& targets,
                   int64_t ignore_index) {
  Shape expected = rows.shape();
  if (expected.rank()) expected.erase(expected.rank() - 1);
  if (targets.dtype() != DType::i64)
    throw DTypeError(fmt::format("{}: targets must be i64; got {} {}", operation, name_of(targets.dtype()),
                                 to_string(targets.shape())));
  if (rows.rank() == 0 || !(expected == targets.shape()))
    throw ShapeError(fmt::format("{}: {} [.., V] need targets [..]; got {} {} and targets {}", operation, rows_name,
                                 rows_name, to_string(rows.shape()), to_string(targets.shape())));
  require_float(operation, rows.dtype());
  int64_t R = targets.count(), V = rows.size(-1);
  if (R > 0 && V == 0)
    throw ShapeError(
        fmt::format("{}: needs at least one class; got {} {}", operation, rows_name, to_string(rows.shape())));
  Classes t{Tensor::empty({R}, DType::boolean), Tensor::empty({R}, DType::i64)};
  Tensor flat = targets.contiguous();
  for (int64_t r = 0; r < R; ++r) {
    int64_t id = flat.data<int64_t>()[r];
    bool ignored = id == ignore_index;
    if (!ignored && (id < 0 || id >= V))
      throw IndexError(
          fmt::format("{}: a target must lie in [0, {}) or be ignored; got {} at position {}", operation, V, id, r));
    t.counts.data<bool>()[r] = !ignored;
    t.safe.data<int64_t>()[r] = ignored ? 0 : id;
    t.number += !ignored;
  }
  return t;
}

// losses [R] as [..], their sum, or their sum divided by n. Over nothing the sum is 0, and so is the mean.
Variable reduced(const Variable& losses, Reduction reduction, double n, const Shape& lead) {
  if (reduction == Reduction::none) return reshape(losses, lead);
  if (n != 0 && reduction == Reduction::mean) return mean_of(losses, n);
  Variable total = sum(losses);
  return reduction == Reduction::sum ? total : masked_fill(total, Tensor::full({}, 1, DType::boolean), 0);
}

// R rows of V logits, and what they are compared with.
struct Rows {
  RowTargets q;
  Tensor ignored;  // [R] bool; undefined: none
  double n = 0;    // the divisor of the mean
  int64_t R = 1, V = 0;
  Shape lead;  // [..]
};

Rows rows_of(const Variable& logits, const Tensor& targets, const Tensor& weight, const CrossEntropyOptions& o) {
  const char* name = "cross_entropy";
  Rows a;
  bool distributions = is_float(targets.dtype()) && targets.rank() == logits.rank() && logits.rank() > 0;
  Classes c = distributions ? Classes() : classes_of(name, "logits", logits, targets, o.ignore_index);
  if (!(o.label_smoothing >= 0 && o.label_smoothing < 1))
    throw ValueError(fmt::format("{}: label smoothing must lie in [0, 1); got {}", name, o.label_smoothing));
  a.V = logits.size(-1), a.lead = logits.shape();
  a.lead.erase(a.lead.rank() - 1);
  a.R = element_count(a.lead);
  a.q.on = 1 - o.label_smoothing, a.q.off = o.label_smoothing / static_cast<double>(a.V);
  if (weight.defined()) {
    require_same_dtype(name, logits.value(), weight);
    if (!(weight.shape() == Shape{a.V}))
      throw ShapeError(
          fmt::format("{}: needs a weight for each class, [{}]; got {}", name, a.V, to_string(weight.shape())));
    a.q.weight = weight.contiguous();
  }
  if (distributions) {
    require_same_dtype(name, logits.value(), targets);
    if (!(targets.shape() == logits.shape()))
      throw ShapeError(fmt::format("{}: distributions must have the shape of the logits; got logits {} and targets {}",
                                   name, to_string(logits.shape()), to_string(targets.shape())));
    a.q.p = targets.reshape({a.R, a.V}).contiguous();
    a.n = static_cast<double>(a.R);
  } else {
    a.q.index = c.safe, a.ignored = logical_not(c.counts), a.n = c.number;
    if (weight.defined()) a.n = sum(masked_fill(index_select(weight.to(DType::f64), c.safe), a.ignored, 0)).item();
  }
  return a;
}
Tensor without_ignored(const Rows& a, const Tensor& rows) {
  return a.ignored.defined() ? masked_fill(rows, a.ignored, 0) : rows;
}

}  // namespace

Variable cross_entropy(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& o) {
  Rows a = rows_of(logits, targets, o.weight, o);
  Tensor loss = without_ignored(a, cross_entropy_rows(logits.value().reshape({a.R, a.V}), a.q));
  Tensor y = reduced(loss, o.reduction, a.n, a.lead).value();
  auto fast = [sx = save(logits), st = save(targets), sw = save_optional(o.weight), o](Grads& g, const Variable& dy) {
    const Variable& x = g[sx];
    Rows same = rows_of(x, g[st].value(), sw.in(g), o);
    // Over a vocabulary the logits are the largest tensor of all, so the gradient takes their place if nobody else
    // holds them: saved are two handles, one here and one for the composed form.
    const bool in_place = g.last_use(sx, 2);
    Tensor d = dy.value();  // the gradient of each row's loss
    if (o.reduction == Reduction::mean) d = same.n != 0 ? div(d, same.n) : Tensor::zeros(d.shape(), d.dtype());
    d = without_ignored(same, o.reduction == Reduction::none ? d.reshape({same.R}) : d.expand({same.R}).contiguous());
    Tensor dx = cross_entropy_rows_backward(x.value().reshape({same.R, same.V}), same.q, d, in_place);
    g.add(0, dx.view(x.shape()));
  };
  return attach_fused("cross_entropy", {logits}, y, fast,
                      [sx = save(logits), st = save(targets), sw = save_optional(o.weight), o](Grads& g) {
                        CrossEntropyOptions same = o;
                        same.weight = sw.in(g);
                        return cross_entropy_composed(g[sx], g[st].value(), same);
                      });
}

Variable cross_entropy_composed(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& o) {
  Rows a = rows_of(logits, targets, o.weight, o);
  Tensor t = a.q.p.defined() ? a.q.p : one_hot(a.q.index, a.V, logits.dtype());  // [R, V]
  Tensor q = add(mul(t, a.q.on), a.q.off);
  if (o.weight.defined()) q = mul(q, o.weight);
  Variable x = reshape(logits, {a.R, a.V});
  if (a.ignored.defined()) {  // these rows count for nothing, whatever is in them, NaN included
    q = masked_fill(q, a.ignored.unsqueeze(1), 0);
    x = masked_fill(x, a.ignored.unsqueeze(1), 0);
  }
  Variable log_p = log_softmax(x);
  Variable losses = -sum(Variable(q) * masked_fill(log_p, equal(q, 0), 0), {-1});  // 0 times -inf is 0
  return reduced(losses, o.reduction, a.n, a.lead);
}

Variable nll_loss(const Variable& log_p, const Tensor& targets, const NllOptions& o) {
  Classes t = classes_of("nll_loss", "log-probabilities", log_p, targets, o.ignore_index);
  int64_t R = targets.count(), V = log_p.size(-1);
  Variable losses = -reshape(gather(reshape(log_p, {R, V}), t.safe.view({R, 1})), {R});
  return reduced(masked_fill(losses, logical_not(t.counts), 0), o.reduction, t.number, targets.shape());
}

}  // namespace heed
