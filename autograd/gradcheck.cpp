#include "autograd/gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;
using Variables = std::vector<Variable>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const char* const kCorner = "the function has a corner here: its slopes to the left and to the right differ";

// f at constants: nothing is recorded.
Numbers evaluate(const GradcheckFunction& f, const std::vector<Tensor>& inputs) {
  NoGrad guard;
  return f(Variables(inputs.begin(), inputs.end())).value().to_vector();
}

// (f(x + hu) - f(x - hu)) / 2h: how every output changes when x moves along u. Restores x afterwards.
Numbers slopes(const GradcheckFunction& f, const std::vector<Tensor>& inputs, Tensor& x, const Numbers& u, double h) {
  auto* p = x.data<double>();
  Numbers kept(p, p + u.size());
  auto moved = [&](double step) {
    for (size_t j = 0; j < u.size(); ++j) p[j] = kept[j] + step * u[j];
    x.mark_written("gradcheck");
    return evaluate(f, inputs);
  };
  Numbers down = moved(-h), up = moved(h);
  std::copy(kept.begin(), kept.end(), p);
  x.mark_written("gradcheck");
  for (size_t o = 0; o < up.size(); ++o) up[o] = (up[o] - down[o]) / (2 * h);
  return up;
}

// One run of gradcheck: computes both gradients of every input and compares them.
class Check {
 public:
  Check(const GradcheckFunction& f, const std::vector<Tensor>& given, const GradcheckOptions& options)
      : f_(f), options_(options), rng_(options.seed) {
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
    Numbers y = evaluate(f_, inputs_), again = evaluate(f_, inputs_);
    if (!std::equal(y.begin(), y.end(), again.begin(), again.end(), same_bits))
      throw ValueError("gradcheck: f must give the same value for the same input; got two; hint: seed it inside f");
    Numbers v(y.size());
    for (double& e : v) e = rng_.uniform() + 0.5;  // v, far from 0
    for (double& e : v)
      if (rng_.uniform() < 0.5) e = -e;
    for (size_t o = 0; o < y.size(); ++o) scale_ += std::fabs(v[o] * y[o]);
    outputs_ = y.size();
    weights_ = {v};
    if (is(GradcheckOptions::jacobian)) weights_.assign(y.size(), Numbers(y.size()));
    for (size_t o = 0; o < y.size() && is(GradcheckOptions::jacobian); ++o) weights_[o][o] = 1;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      try {
        compare(i, analytic_gradients(i));
      } catch (const GradientShapeError& e) { refuse(i, e); }
    }
    return std::move(report_);
  }

 private:
  static bool same_bits(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
  bool is(GradcheckOptions::Method method) const { return options_.method == method; }

  // One backward pass for every weighting of the outputs.
  std::vector<Numbers> analytic_gradients(size_t i) {
    GradMode recording(true);
    Variables x;
    for (const Tensor& t : inputs_) x.emplace_back(t.clone());
    x[i].set_requires_grad(true);
    Variable y = f_(x);
    output_shape_ = y.shape();
    std::vector<Numbers> all;
    for (const Numbers& v : weights_) {
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
    const auto& f = options_.surrogate ? options_.surrogate : f_;
    size_t n = static_cast<size_t>(inputs_[i].count()), rows = weights_.size();
    bool random = is(GradcheckOptions::directions);
    size_t moves = !random ? n : n == 0 ? 0 : static_cast<size_t>(options_.directions_per_input);
    Numbers analytic(rows * moves), numeric(rows * moves), u(n);
    for (size_t m = 0; m < moves; ++m) {
      for (size_t j = 0; j < n; ++j) u[j] = random ? rng_.normal() : j == m;
      double size = random ? 1 : std::max(1.0, std::fabs(inputs_[i].data<double>()[m]));
      Numbers dy = slopes(f, inputs_, inputs_[i], u, options_.step * size);
      if (dy.size() != outputs_)
        throw ShapeError(
            fmt::format("gradcheck: the surrogate must have as many values as f; got {} for {}", dy.size(), outputs_));
      for (size_t r = 0; r < rows; ++r) {  // differences first, then the sum: less rounding than of two sums
        analytic[r * moves + m] = dot(gradients[r], u);
        numeric[r * moves + m] = dot(dy, weights_[r]);
      }
    }
    Shape shape = random ? Shape{static_cast<int64_t>(moves)} : inputs_[i].shape();
    shape.insert(0, static_cast<int64_t>(rows));
    judge(i, Tensor::from(analytic, shape), Tensor::from(numeric, shape));
  }

  void judge(size_t i, const Tensor& analytic, const Tensor& numeric) {
    Numbers a = analytic.to_vector(), n = numeric.to_vector();
    if (is(GradcheckOptions::jacobian)) {
      Shape matrix{analytic.size(0), inputs_[i].count()};
      report_.jacobians.push_back({analytic.view(matrix), numeric.view(matrix)});
    }
    double largest = 0;
    for (double e : n) largest = std::max(largest, std::fabs(e));
    Comparison c{analytic, numeric, {}, std::max({0.01 * largest, 0.001 * scale_, 0.001}), sizes_at_hand(i)};
    bool failed = false, holds_worst = false;
    for (size_t e = 0; e < a.size(); ++e) {
      double difference = std::fabs(a[e] - n[e]);
      double relative = difference / std::max({std::fabs(a[e]), std::fabs(n[e]), c.floor});
      if (!std::isfinite(relative)) relative = same_bits(a[e], n[e]) && std::isinf(a[e]) ? 0 : kInfinity;
      c.wrong.push_back(relative > options_.tolerance);
      failed = failed || c.wrong.back();
      ++report_.compared;
      if (relative <= report_.max_relative_error && report_.compared > 1) continue;
      holds_worst = true;
      report_.max_relative_error = relative;
      report_.worst = {i, {}, {}, a[e], n[e], difference, relative};
      locate(static_cast<int64_t>(e), numeric.shape(), report_.worst);
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
        if (!is_corner(i, e % n)) return false;
      }
    return looked_at > 0;
  }

  // Compares the slopes to the left and to the right of x_j.
  bool is_corner(size_t i, size_t j) {
    double& x = inputs_[i].data<double>()[j];
    double kept = x, h = options_.step * std::max(1.0, std::fabs(x)), jump = 0, slope = 0.1;
    const auto& f = options_.surrogate ? options_.surrogate : f_;
    Numbers y[3];
    for (int k = 0; k < 3; ++k) {
      x = kept + (k - 1) * h;
      inputs_[i].mark_written("gradcheck");
      y[k] = evaluate(f, inputs_);
    }
    x = kept;
    inputs_[i].mark_written("gradcheck");
    for (size_t o = 0; o < y[0].size(); ++o) {
      jump = std::max(jump, std::fabs(y[2][o] - 2 * y[1][o] + y[0][o]) / h);
      slope = std::max(slope, std::fabs(y[2][o] - y[0][o]) / (2 * h));
    }
    return jump > 0.01 * slope;
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
  std::vector<Tensor> inputs_;    // own contiguous copies; elements are changed and restored
  std::vector<Numbers> weights_;  // of the outputs: v alone, or one row per output with `jacobian`
  Shape output_shape_;
  size_t outputs_ = 0;  // elements of y
  double scale_ = 0;    // sum |v y|
  GradcheckReport report_;
};

}  // namespace

GradcheckReport gradcheck(const GradcheckFunction& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  return Check(f, inputs, options).run();
}

}  // namespace heed
