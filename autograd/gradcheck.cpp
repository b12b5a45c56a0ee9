#include "autograd/gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/gradcheck_differences.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;
using Variables = std::vector<Variable>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const char* const kCorner = "the function has a corner here: its slopes to the left and to the right differ";

// One run of gradcheck: computes both gradients of every input and compares them.
class Check {
 public:
  Check(const GradcheckFunction& f, const std::vector<Tensor>& given, const GradcheckOptions& options)
      : f_(f),
        options_(options),
        rng_(options.seed),
        differences_(options.surrogate ? options.surrogate : f, options.step) {
    if (!(options.step > 0 && options.tolerance >= 0) || options.directions_per_input < 1)
      throw ValueError(fmt::format(
          "gradcheck: needs a step above 0, a tolerance of at least 0 and at least one direction; got {}, {} and {}",
          options.step, options.tolerance, options.directions_per_input));
    for (const Tensor& t : given) {
      if (t.dtype() != DType::f64)
        throw DTypeError(fmt::format("gradcheck: inputs must be f64, since differences need its digits; got {} {}",
                                     name_of(t.dtype()), to_string(t.shape())));
      inputs_.push_back(t.clone());
    }
  }

  GradcheckReport run() {
    Numbers y = evaluate(), again = evaluate();
    if (!std::equal(y.begin(), y.end(), again.begin(), again.end(), same_bits))
      throw ValueError("gradcheck: f must give the same value for the same input; got two; hint: seed it inside f");
    Numbers v(y.size());
    for (double& e : v) e = rng_.uniform() + 0.5;  // v, far from 0
    for (double& e : v)
      if (rng_.uniform() < 0.5) e = -e;
    auto& weights = differences_.weights;
    weights = {v};
    if (is(GradcheckOptions::jacobian)) weights.assign(y.size(), Numbers(y.size()));
    for (size_t o = 0; o < y.size() && is(GradcheckOptions::jacobian); ++o) weights[o][o] = 1;
    differences_.y = options_.surrogate ? differences_.outputs() : y;
    if (differences_.y.size() != y.size())
      throw ShapeError(fmt::format("gradcheck: the surrogate must have as many values as f; got {} for {}",
                                   differences_.y.size(), y.size()));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      try {
        compare(i, analytic_gradients(i, weights));
      } catch (const GradientShapeError& e) { refuse(i, e); }
    }
    return std::move(report_);
  }

 private:
  static bool same_bits(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
  bool is(GradcheckOptions::Method method) const { return options_.method == method; }
  Numbers evaluate() const {  // f at constants: nothing is recorded
    NoGrad guard;
    return f_(Variables(inputs_.begin(), inputs_.end())).value().to_vector();
  }

  // One backward pass for every weighting of the outputs.
  std::vector<Numbers> analytic_gradients(size_t i, const std::vector<Numbers>& weights) {
    GradMode recording(true);
    Variables x;
    for (const Tensor& t : inputs_) x.emplace_back(t.clone());
    x[i].set_requires_grad(true);
    Variable y = f_(x);
    output_shape_ = y.shape();
    std::vector<Numbers> all;
    for (const Numbers& v : weights) {
      Variable dx;
      GradOptions options{.seeds = {Tensor::from(v, y.shape())}, .retain_graph = true, .allow_unused = true};
      if (y.requires_grad()) dx = grad({y}, {x[i]}, options)[0];
      if (dx.defined() && !(dx.shape() == x[i].shape()))
        throw GradientShapeError("gradcheck", dx.shape(), x[i].shape());
      all.push_back(dx.defined() ? dx.value().to_vector() : Numbers(static_cast<size_t>(x[i].count())));
    }
    return all;
  }

  // sum a_j b_j. What is multiplied by 0 does not count, not even a NaN.
  static double dot(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (size_t j = 0; j < a.size(); ++j)
      if (b[j] != 0) sum += a[j] * b[j];
    return sum;
  }

  // Moves the input, element by element or along random directions: every weighting of the outputs must move as much
  // as its gradient says.
  void compare(size_t i, const std::vector<Numbers>& gradients) {
    size_t n = static_cast<size_t>(inputs_[i].count()), rows = gradients.size();
    bool random = is(GradcheckOptions::directions);
    size_t moves = !random ? n : n == 0 ? 0 : static_cast<size_t>(options_.directions_per_input);
    directions_.assign(random ? moves : 0, Numbers(n));
    for (Numbers& z : directions_)
      for (double& e : z) e = rng_.normal();
    Numbers analytic(rows * moves), numeric(rows * moves);
    Comparison c{.floors = Numbers(rows * moves), .tolerance = options_.tolerance, .sizes = sizes_at_hand(i)};
    for (size_t m = 0; m < moves; ++m) {
      Move move = differences_.along(i, direction(i, m));
      for (size_t r = 0; r < rows; ++r) {
        analytic[r * moves + m] = slope_of(gradients[r], move, m);
        numeric[r * moves + m] = move.slope[r] / size_of(move, m);
        c.floors[r * moves + m] = move.rounding[r] / size_of(move, m);
      }
    }
    for (double& floor : c.floors) floor = std::max(floor, 0.01 * largest_of(numeric));
    Shape shape = random ? Shape{static_cast<int64_t>(moves)} : inputs_[i].shape();
    shape.insert(0, static_cast<int64_t>(rows));
    c.analytic = Tensor::from(analytic, shape), c.numeric = Tensor::from(numeric, shape);
    judge(i, c, analytic, numeric);
  }

  // Move m of input i in units of the size of x. Below: its length, by which slopes along one element are divided.
  Numbers direction(size_t i, size_t m) const {
    if (is(GradcheckOptions::directions)) return directions_[m];
    Numbers z(static_cast<size_t>(inputs_[i].count()));
    z[m] = 1;
    return z;
  }
  double size_of(const Move& move, size_t m) const { return is(GradcheckOptions::directions) ? 1 : move.u[m]; }
  double slope_of(const Numbers& gradient, const Move& move, size_t m) const {
    return is(GradcheckOptions::directions) ? dot(gradient, move.u) : gradient[m];
  }

  // A difference of up to `noise` may be a rounding error.
  static double relative_error(double a, double n, double floor, double noise = 0) {
    double difference = std::fabs(a - n);
    if (difference <= noise) return 0;
    double relative = (difference - noise) / std::max({std::fabs(a), std::fabs(n), floor});
    return std::isfinite(relative) ? relative : a == n ? 0 : kInfinity;  // equal infinities
  }

  // The error that gradient r of move m may have without a fault, if smaller steps give other slopes. The reason may be
  // rounding, as for sum(softmax(x)) - 1, or a step that is too large, as for x^3 at 0, whose slopes shrink with the
  // step, and as for x / |x| near 0, whose slopes converge. The search ends when it has found as much as `difference`.
  double noise(size_t i, size_t r, size_t m, double difference, const std::optional<Move>& finer) {
    Numbers z = direction(i, m);
    const Numbers &w = differences_.weights[r], &y = differences_.y;
    Move move = differences_.along(i, z);
    double scale = 0;  // of L
    for (size_t o = 0; o < y.size(); ++o)
      if (w[o] != 0 && std::isfinite(y[o])) scale += std::fabs(w[o] * y[o]) / size_of(move, m);
    double known = 1e-14 * scale;
    if (known >= difference) return known;
    auto slope_at = [&](double part) { return differences_.measured(i, move.u, options_.step * part).slope[r]; };
    double slope = move.slope[r], third = slope_at(1.0 / 3), seventh = slope_at(1.0 / 7);
    // Where the error of a step h is c h^2, the slopes of h and h / 3 differ by 8/9 of it, those of h / 3 and h / 7 by
    // a tenth of that.
    const double bent = std::fabs(slope - third), less = std::fabs(third - seventh);
    if (less > 0.05 * bent && less < 0.2 * bent) known += 1.25 * bent;
    if (known >= difference) return known;
    auto same = [&](double s) { return std::fabs(s - slope) < 1e-3 * std::fabs(slope); };
    if (same(third) && same(seventh)) return 0;
    if (!finer && std::fabs(third) < 0.5 * std::fabs(slope) && std::fabs(seventh) < 0.5 * std::fabs(third))
      known += 2 * std::fabs(slope - third);
    std::vector<bool> moves = differences_.moving(i, move.u);
    for (size_t o = 0; o < y.size(); ++o)
      if (moves[o] && w[o] != 0 && std::isfinite(y[o])) known += 1e-9 * std::fabs(w[o] * y[o]) / size_of(move, m);
    double found = known, size = finer ? finer->step / options_.step : 1;
    auto with_outputs = [&](const Numbers& jitter) {
      double sum = 0;
      for (size_t o = 0; o < jitter.size(); ++o)
        if (w[o] != 0) sum += std::fabs(w[o]) * jitter[o];
      found = known + 2 * sum / options_.step / size_of(move, m);
      return found >= difference;
    };
    differences_.jitter(
        i, z, size, [&](int) { return differences_.outputs(); }, with_outputs);
    known = found;
    auto seeded = [&](int k) {  // the gradient at slightly changed seeds
      Numbers seeds = w;
      for (size_t o = 0; o < w.size(); ++o) seeds[o] *= 1 + 1e-10 * k * std::cos(static_cast<double>(o));
      return Numbers{slope_of(analytic_gradients(i, {seeds})[0], move, m)};
    };
    if (known < difference)
      differences_.jitter(i, z, size, seeded,
                          [&](const Numbers& dx) { return (found = known + 4 * dx[0]) >= difference; });
    return std::isfinite(found) ? found : 0;
  }

  void judge(size_t i, Comparison& c, const Numbers& a, Numbers& n) {
    size_t rows = differences_.weights.size(), moves = a.size() / std::max<size_t>(rows, 1);
    if (is(GradcheckOptions::jacobian)) {
      Shape matrix{c.analytic.size(0), inputs_[i].count()};
      report_.jacobians.push_back({c.analytic.view(matrix), c.numeric.view(matrix)});
    }
    Numbers relative;
    for (size_t e = 0; e < a.size(); ++e) relative.push_back(relative_error(a[e], n[e], c.floors[e]));
    for (size_t e = 0; e < a.size(); ++e) {  // checks elements that look wrong again, until one really is
      if (relative[e] <= options_.tolerance) continue;
      Move move = differences_.along(i, direction(i, e % moves));
      auto finer = differences_.resolved(i, move.u, e / moves);
      if (finer) {
        double size = size_of(move, e % moves);
        n[e] = c.numeric.data<double>()[e] = finer->slope[e / moves] / size;
        c.floors[e] = finer->rounding[e / moves] / size;
        relative[e] = relative_error(a[e], n[e], c.floors[e]);
        if (relative[e] <= options_.tolerance) continue;
      }
      double rounding = noise(i, e / moves, e % moves, std::fabs(a[e] - n[e]), finer);
      relative[e] = relative_error(a[e], n[e], c.floors[e], rounding);
      if (relative[e] > options_.tolerance) break;
    }
    bool failed = false, holds_worst = false;
    for (size_t e = 0; e < a.size(); ++e) {
      c.wrong.push_back(relative[e] > options_.tolerance);
      failed = failed || c.wrong.back();
      ++report_.compared;
      if (relative[e] <= report_.max_relative_error && report_.compared > 1) continue;
      holds_worst = true;
      report_.max_relative_error = relative[e];
      report_.worst = {i, {}, {}, a[e], n[e], std::fabs(a[e] - n[e]), relative[e]};
      locate(static_cast<int64_t>(e), c.numeric.shape(), report_.worst);
    }
    if (!failed) return;
    add_diagnosis(i, at_corners(i, c) ? Diagnosis{Fault::kink, kCorner} : diagnose(c), holds_worst);
  }

  void locate(int64_t e, const Shape& shape, GradcheckElement& element) const {
    auto unravel = [](int64_t at, const Shape& s, int from) {
      std::vector<int64_t> index;
      for (int k = s.rank() - 1; k >= from; at /= s[k--]) index.insert(index.begin(), at % s[k]);
      return Dims(index);
    };
    int64_t inner = 1;
    for (int k = 1; k < shape.rank(); ++k) inner *= shape[k];
    element.index = unravel(e % inner, shape, 1);
    if (is(GradcheckOptions::jacobian)) element.output = unravel(e / inner, output_shape_, 0);
  }

  // At a corner of f no gradient is right, so a difference is no fault. Are the first 8 wrong elements all corners?
  bool at_corners(size_t i, const Comparison& c) {
    size_t n = static_cast<size_t>(inputs_[i].count()), looked_at = 0;
    for (size_t e = 0; e < c.wrong.size() && looked_at < 8 && !is(GradcheckOptions::directions); ++e)
      if (c.wrong[e]) {
        ++looked_at;
        if (!differences_.corner(i, differences_.along(i, direction(i, e % n)).u)) return false;
      }
    return looked_at > 0;
  }

  void refuse(size_t i, const GradientShapeError& e) {
    report_.max_relative_error = kInfinity;
    report_.worst = {i, {}, {}, NAN, NAN, kInfinity, kInfinity};
    Diagnosis d = diagnose_shapes(e.got, e.wanted);
    d.words += fmt::format(" ({})", e.what());
    add_diagnosis(i, d, /*holds_worst=*/true);
  }

  void add_diagnosis(size_t i, const Diagnosis& d, bool holds_worst) {
    report_.passed = false;
    if (holds_worst || report_.fault == Fault::none) report_.fault = d.fault;
    report_.diagnosis += fmt::format("{}input {}: {}", report_.diagnosis.empty() ? "" : "\n", i, d.words);
  }

  // All sizes that a mean may wrongly divide by: axes and element counts of this input, the output, the other inputs.
  std::vector<NamedSize> sizes_at_hand(size_t i) const {
    std::vector<NamedSize> sizes;
    auto offer = [&](int64_t n, const std::string& what) {
      if (n > 1 && std::none_of(sizes.begin(), sizes.end(), [n](const NamedSize& s) { return s.size == n; }))
        sizes.push_back({n, what});
    };
    auto offer_all = [&](const Shape& shape, const std::string& name) {
      for (int k = 0; k < shape.rank(); ++k) offer(shape[k], fmt::format("the size of axis {} of {}", k, name));
      offer(element_count(shape), "the number of elements of " + name);
    };
    offer_all(inputs_[i].shape(), fmt::format("input {}", i));
    offer_all(output_shape_, "the output");
    for (size_t k = 0; k < inputs_.size(); ++k) offer_all(inputs_[k].shape(), fmt::format("input {}", k));
    return sizes;
  }

  const GradcheckFunction& f_;
  const GradcheckOptions& options_;
  Generator rng_;
  Differences differences_;  // its weights: v alone, or one row per output with `jacobian`
  std::vector<Tensor>& inputs_ = differences_.inputs;
  std::vector<Numbers> directions_;  // of the input that is compared, with `directions`
  Shape output_shape_;
  GradcheckReport report_;
};

}  // namespace

GradcheckReport gradcheck(const GradcheckFunction& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  return Check(f, inputs, options).run();
}

}  // namespace heed
