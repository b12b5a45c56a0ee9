// Losses of random programs.
#include "tests/autograd/random_program/operations.h"

namespace random_program {
namespace {

using heed::Reduction;
using slow::Dual;
using slow::Row;
using std::tuple;

Reduction some_reduction(Pick& p) {
  constexpr Reduction all[] = {Reduction::mean, Reduction::sum, Reduction::none};
  return all[p.below(3)];
}
Array reduced(const Array& x, Reduction r, Number divisor) {
  if (r == Reduction::none) return x;
  for (const Real& e : x.elements)
    if (slow::beyond(e.v())) return {{}, {slow::nothing(x.elements, NAN)}};
  Real sum = slow::total(x.elements);
  return {{}, {r == Reduction::mean ? sum / divisor : sum}};
}

// f(x, target, option, reduction), and the loss of one element. The mean is over rows if by_rows, else over elements.
Operation elementwise(const std::string& name, Variable (*engine)(V, V, double, Reduction),
                      Real (*slow)(Real, Real, Number), Range x_range = kAnywhere, Range target_range = kAnywhere,
                      bool by_rows = false) {
  return {name, [=](Pick& p) {
            Shape x = p.any(by_rows ? 1 : 0, 3, x_range);
            p.of(x, target_range);
            double option = p.number(0.5, 1.5);
            Reduction r = some_reduction(p);
            if (r == Reduction::mean && heed::element_count(x) == 0) throw Unfit();
            return call([=](In in, double o, Reduction k) { return Variables{engine(in[0], in[1], o, k)}; },
                        [=](Slow in, double o, Reduction k) {
                          Array each = slow::map(in[0], in[1], [&](Real a, Real b) { return slow(a, b, o); });
                          int64_t n = by_rows ? in[0].shape[0] : heed::element_count(in[0].shape);
                          return Arrays{reduced(each, k, static_cast<Number>(n))};
                        },
                        tuple{option, r});
          }};
}
// p y, where 0 times infinity is 0.
Real weighted(Real p, Real y) {
  if (std::isfinite(y.v()) || std::fabs(p.v()) > slow::Tape::current()->least) return p * y;
  return p.v() == 0 ? slow::unary(p, {}, y.dual()) : slow::nothing({p, y}, NAN);  // too small for the type
}
Real binary_entropy(Real x, Real t) {
  Dual p = x.dual(), q = slow::constant(1) - p;
  if (p.v > 1e-10L && q.v > 1e-10L) return -(t * log(x) + (1 - t) * log1p(-x));
  // As in PyTorch: logarithms of at least -100, and a slope whose denominator is at least 1e-12.
  Number yes = std::fmax(std::log(p.v), -100), no = std::fmax(std::log1p(-p.v), -100), is = t.v();
  Number slope = slow::below((p.v - is) * 1e-6L) ? NAN : (p.v - is) / std::fmax(p.v * q.v, 1e-12L);
  return slow::binary(x, t, {-(is * yes + (1 - is) * no)}, {slope}, {no - yes});
}
Real huber(Real x, Real t, Number delta) {
  Real d = abs(x - t);
  if (slow::beyond(d.v())) return slow::nothing({x, t}, NAN);
  return less(d, delta) ? d * d * Number{0.5} : delta * (d - delta / 2);
}

// The rows of x [.., V] and a class for each; -100 does not count. of_row(row, class) is its loss.
template <class F>
Array by_class(A x, const Tensor& classes, Reduction r, const F& of_row) {
  Array each = slow::filled(classes.shape(), 0);
  Number counted = 0;
  slow::each_index(each.shape, [&](const slow::Index& i) {
    if (at(classes, i) < 0) return;
    Row row;
    for (slow::Index from =
             [&] {
               auto f = i;
               f.push_back(0);
               return f;
             }();
         from[i.rank()] < x.size(-1); ++from[i.rank()])
      row.push_back(x(from));
    each(i) = of_row(row, static_cast<size_t>(at(classes, i)));
    ++counted;
  });
  return reduced(each, r, counted == 0 ? 1 : counted);
}
Array likelihood(A x, const Tensor& classes, Reduction r) {
  return by_class(x, classes, r, [](const Row& row, size_t c) { return -row.at(c); });
}
Array entropy(A x, const Tensor& classes, Reduction r, double smoothing) {
  return by_class(x, classes, r, [&](const Row& row, size_t c) {
    Real all = slow::log_sum_exp(row), loss = 0;
    if (all.v() == INFINITY) return slow::nothing(row, NAN);
    (void)row.at(c);
    auto e = static_cast<Number>(smoothing);
    for (size_t v = 0; v < row.size(); ++v)
      if (Number q = (v == c ? 1 - e : 0) + e / static_cast<Number>(row.size()); slow::beyond(all.v() - row[v].v()))
        return slow::nothing(row, NAN);
      else if (q > 0)
        loss = loss + q * (all - row[v]);
    return loss;
  });
}
tuple<Tensor, Reduction> some_classes(Pick& p) {
  Shape x = p.any(1, 3), rows = x;
  rows.erase(rows.rank() - 1);
  std::vector<int64_t> classes;
  for (int64_t n = heed::element_count(rows); n > 0; --n)
    classes.push_back(p.coin(0.2) ? -100 : p.below(x[x.rank() - 1]));
  if (x[x.rank() - 1] == 0) throw Unfit();
  return {Tensor::from(classes, rows), some_reduction(p)};
}
using CrossEntropy = Variable (*)(V, const Tensor&, const heed::CrossEntropyOptions&);
template <CrossEntropy kF>
Variable cross_entropy(V x, const Tensor& classes, Reduction r, double smoothing) {
  return kF(x, classes, {.label_smoothing = smoothing, .reduction = r});
}
auto smoothed(Pick& p) { return std::tuple_cat(some_classes(p), tuple{p.coin() ? 0 : p.number(0, 0.5)}); }

}  // namespace

std::vector<Operation> loss_operations() {
  return {
      elementwise(
          "mse_loss", [](V x, V t, double, Reduction r) { return heed::mse_loss(x, t, r); },
          [](Real x, Real t, Number) { return (x - t) * (x - t); }),
      elementwise(
          "l1_loss", [](V x, V t, double, Reduction r) { return heed::l1_loss(x, t, r); },
          [](Real x, Real t, Number) { return abs(x - t); }),
      elementwise(
          "huber_loss",
          [](V x, V t, double d, Reduction r) { return heed::huber_loss(x, t, {.delta = d, .reduction = r}); }, huber),
      elementwise(
          "smooth_l1_loss",
          [](V x, V t, double b, Reduction r) { return heed::smooth_l1_loss(x, t, {.beta = b, .reduction = r}); },
          [](Real x, Real t, Number beta) { return huber(x, t, beta) / beta; }),
      elementwise(
          "bce_loss", [](V x, V t, double, Reduction r) { return heed::bce_loss(x, t, r); },
          [](Real x, Real t, Number) { return binary_entropy(x, t); }, kProbability, kProbability),
      elementwise(
          "bce_with_logits_loss",
          [](V x, V t, double w, Reduction r) {
            Tensor weight = Tensor::full({}, w, x.dtype());
            return heed::bce_with_logits_loss(x, t, {.pos_weight = weight, .reduction = r});
          },
          [](Real x, Real t, Number w) {
            if (slow::beyond(w * t.v()) || slow::beyond(w * x.v())) return slow::nothing({x, t}, NAN);
            return weighted(w * t, softplus(-x)) + weighted(1 - t, softplus(x));
          }),
      elementwise(
          "kl_div", [](V x, V t, double, Reduction r) { return heed::kl_div(x, t, {.reduction = r}); },
          [](Real x, Real t, Number) { return weighted(t, log(t) - x); }, kAnywhere, kPositive, /*by_rows=*/true),
      elementwise(
          "kl_div",
          [](V x, V t, double, Reduction r) { return heed::kl_div(x, t, {.log_target = true, .reduction = r}); },
          [](Real x, Real t, Number) { return weighted(exp(t), t - x); }, kAnywhere, kAnywhere, /*by_rows=*/true),
      op(
          "nll_loss", +[](V x, const Tensor& c, Reduction r) { return heed::nll_loss(x, c, {.reduction = r}); },
          likelihood, some_classes),
      op("cross_entropy", cross_entropy<heed::cross_entropy>, entropy, smoothed),
      op("cross_entropy_composed", cross_entropy<heed::cross_entropy_composed>, entropy, smoothed),
  };
}

}  // namespace random_program
