// Reductions, softmax and the norms of random programs.
#include <limits>

#include "tests/autograd/random_program/operations.h"

namespace random_program {
namespace {

using slow::Row;
using std::tuple;

Real average(const Row& x) { return total(x) / static_cast<Number>(x.size()); }
template <bool kLargest>
Real extreme(const Row& x) {
  Real best = x.at(0);
  for (size_t i = 1; i < x.size(); ++i) best = kLargest ? larger(best, x[i]) : smaller(best, x[i]);
  return best;
}
Real product(const Row& x) {
  Real y = 1;
  for (Real e : x) y = y * e;
  return y;
}
Real variance(const Row& x, bool unbiased) {
  Real m = slow::Tape::Entry{.value = average(x).dual()}, s = 0;  // nothing flows back through m: its terms add up to 0
  for (Real e : x) s = s + (e - m) * (e - m);
  return s / (static_cast<Number>(x.size()) - unbiased);
}
Real length(const Row& x, Number p) {
  Row sizes;
  for (Real e : x) sizes.push_back(slow::abs(e));
  if (std::isinf(p)) return extreme<true>(sizes);
  Real s = 0;
  for (Real e : sizes) s = s + pow(e, p);
  return pow(s, 1 / p);
}
Row running(const Row& x, bool reverse) {
  Row y(x.size());
  Real s = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    size_t at = reverse ? x.size() - 1 - k : k;
    y[at] = s = s + x[at];
  }
  return y;
}
Row log_softmax(const Row& x) {
  Row y;
  Real s = slow::log_sum_exp(x);
  if (s.v() == INFINITY) return Row(x.size(), nothing(x, NAN));
  for (Real e : x) y.push_back(e - s);
  return y;
}

// The axes to reduce, with at least `least` elements under each result, and whether they stay.
auto axes(int64_t least) {
  return [least](Pick& p) {
    Shape x = p.any();
    Dims axes = p.axes(x);
    int64_t n = 1;
    for (int k = 0; k < x.rank(); ++k) n *= slow::holds(axes, k, x.rank()) ? x[k] : 1;
    if (n < least) throw Unfit();
    return tuple{axes, p.coin()};
  };
}
template <Real (*kF)(const Row&)>
Array over(A x, const Dims& axes, bool keep) {
  return reduce(x, axes, keep, kF);
}
template <Real (*kF)(const Row&)>
Array over_one(A x, int64_t axis, bool keep) {
  return reduce(x, {axis}, keep, kF);
}
template <Row (*kF)(const Row&)>
Array rows(A x, int64_t axis) {
  return along(x, axis, x.size(axis), kF);
}
tuple<int64_t> axis(Pick& p) { return {p.axis(p.any(1))}; }
tuple<int64_t, bool> axis_of_some(Pick& p) {
  auto [x, axis, n] = p.any_axis();
  if (n == 0) throw Unfit();
  return {axis, p.coin()};
}

// layer_norm (with a mean) and rms_norm (without) over the last axes: x, perhaps a weight, perhaps a bias.
template <bool kCentred>
Array normed(Slow in, int axes, double eps) {
  size_t n = 1, parameters = in.size() - 1;
  for (int k = 1; k <= axes; ++k) n *= static_cast<size_t>(in[0].size(-k));
  Array y{in[0].shape, {}};
  for (size_t start = 0; start < in[0].elements.size(); start += n) {
    Row r(in[0].elements.begin() + static_cast<std::ptrdiff_t>(start),
          in[0].elements.begin() + static_cast<std::ptrdiff_t>(start + n)),
        squares;
    Real mean = kCentred ? average(r) : Real(0);
    for (Real& e : r) {
      e = e - mean;
      squares.push_back(e * e);
    }
    Real root = sqrt(average(squares) + eps);
    for (size_t i = 0; i < n; ++i) {
      Real e = r[i] / root;
      if (parameters > 0 && slow::below(e.v())) e = slow::nothing({e}, NAN);
      if (parameters > 0) e = e * in[1].elements.at(i);
      y.elements.push_back(parameters > 1 ? e + in[2].elements.at(i) : e);
    }
  }
  return y;
}
template <bool kCentred>
tuple<int, double> norm_options(Pick& p) {
  Shape x = p.any(1), row;
  int axes = static_cast<int>(p.between(1, std::min(2, x.rank())));
  for (int k = x.rank() - axes; k < x.rank(); ++k) row.push_back(x[k]);
  for (auto more = p.below(kCentred ? 3 : 2); more > 0; --more) p.of(row);
  double eps = p.number(0.05, 0.5);
  return {axes, p.extreme_program() && p.coin() ? 0 : eps};
}
using LayerNorm = Variable (*)(V, V, V, const heed::NormOptions&);
using RmsNorm = Variable (*)(V, V, const heed::NormOptions&);
template <LayerNorm kF>
Variable layer_norm(In in, int axes, double eps) {
  return kF(in[0], in.size() > 1 ? in[1] : Variable(), in.size() > 2 ? in[2] : Variable(), {.axes = axes, .eps = eps});
}
template <RmsNorm kF>
Variable rms_norm(In in, int axes, double eps) {
  return kF(in[0], in.size() > 1 ? in[1] : Variable(), {.axes = axes, .eps = eps});
}

}  // namespace

std::vector<Operation> reducing_operations() {
  std::vector<Operation> all = {
      op("sum", heed::sum, over<slow::total>, axes(0)),
      op("mean", heed::mean, over<average>, axes(1)),
      op("amax", heed::amax, over<extreme<true>>, axes(1)),
      op("amin", heed::amin, over<extreme<false>>, axes(1)),
      op("prod", heed::prod, over<product>, axes(0)),
      op("logsumexp", heed::logsumexp, over<slow::log_sum_exp>, axes(1)),
      op("max", heed::max, over_one<extreme<true>>, axis_of_some),
      op("min", heed::min, over_one<extreme<false>>, axis_of_some),
      op(
          "cumsum", +[](V x, int64_t k, bool reverse) { return heed::cumsum(x, k, {.reverse = reverse}); },
          +[](A x, int64_t k, bool reverse) {
            return along(x, k, x.size(k), [&](const Row& r) { return running(r, reverse); });
          },
          [](Pick& p) {
            return tuple{p.axis(p.any(1)), p.coin()};
          }),
      op("softmax", heed::softmax, rows<slow::softmax>, axis),
      op("log_softmax", heed::log_softmax, rows<log_softmax>, axis),
      op(
          "masked softmax",
          +[](V x, const Tensor& mask, int64_t k) { return softmax(masked_fill(x, mask, -INFINITY), k); },
          +[](A x, const Tensor& mask, int64_t k) {  // rows may be masked wholly
            Array seen = slow::build(
                x.shape, [&](const slow::Index& i) { return at(mask, i) != 0 ? Real(-INFINITY) : copy(x(i)); });
            return rows<slow::softmax>(seen, k);
          },
          [](Pick& p) {
            Shape x = p.any(1);
            return tuple{p.bools(p.smaller(x), p.number(0, 0.6)), p.axis(x)};
          }),
      op("layer_norm", layer_norm<heed::layer_norm>, normed<true>, norm_options<true>),
      op("layer_norm_composed", layer_norm<heed::layer_norm_composed>, normed<true>, norm_options<true>),
      op("rms_norm", rms_norm<heed::rms_norm>, normed<false>, norm_options<false>),
      op("rms_norm_composed", rms_norm<heed::rms_norm_composed>, normed<false>, norm_options<false>),
      op(
          "norm", +[](V x, double order, const Dims& k, bool keep) { return heed::norm(x, order, k, keep); },
          +[](A x, double order, const Dims& k, bool keep) {
            return reduce(x, k, keep, [&](const Row& r) { return length(r, order); });
          },
          [](Pick& p) {
            auto [k, keep] = axes(1)(p);
            constexpr double orders[] = {1, 1.5, 2, 3, std::numeric_limits<double>::infinity()};
            return tuple{orders[p.below(5)], k, keep};
          }),
  };
  for (bool unbiased : {false, true}) {
    auto choose = [=](int64_t least) {
      return [=](Pick& p) { return std::tuple_cat(axes(least)(p), tuple{unbiased}); };
    };
    all.push_back(op(
        "var", +[](V x, const Dims& k, bool keep, bool u) { return heed::var(x, k, {.unbiased = u, .keep = keep}); },
        +[](A x, const Dims& k, bool keep, bool u) {
          return reduce(x, k, keep, [&](const Row& r) { return variance(r, u); });
        },
        choose(1 + unbiased)));
    all.push_back(op(
        "stddev",
        +[](V x, const Dims& k, bool keep, bool u) { return heed::stddev(x, k, {.unbiased = u, .keep = keep}); },
        +[](A x, const Dims& k, bool keep, bool u) {
          return reduce(x, k, keep, [&](const Row& r) { return sqrt(variance(r, u)); });
        },
        choose(2)));
  }
  return all;
}

}  // namespace random_program
