// A gradient of exactly 0 stays 0, whatever the slope (autograd/chain_rule.h): every elementwise operation of the case
// table, in all its shapes, layouts and broadcasts, at numbers whose slopes are infinite or NaN; to
// second order, those but the views.
//
//   dx = f'(x) dy        where dy is 0, of either sign, dx is 0: by the fused kernels, and recorded
//   z = sum of dz dx     where dy is 0, dz/dx is 0; where dz is 0, the gradients with respect to x and dy are 0
//
// But the gradient of z with respect to dy is the slope, also where dy is 0: a mask over dx would lose it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/backward.h"
#include "autograd/cases/cases.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

using Variables = std::vector<Variable>;
constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

Doubles special(DType d) {
  bool f32 = d == DType::f32;
  double largest = f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  double denormal = f32 ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
  return {-4, 0, kInf, 1, -0.0, kNaN, -kInf, largest, denormal, -largest, -1};
}
// The numbers in turn, from number `first` on.
Tensor in_turn(const Doubles& numbers, size_t first, const Shape& shape, DType dtype) {
  Doubles v;
  for (size_t i = 0; i < static_cast<size_t>(element_count(shape)); ++i)
    v.push_back(numbers[(first + i) % numbers.size()]);
  return Tensor::from(v, shape).to(dtype);
}
const Doubles kZeros = {0.0, -0.0}, kSome = {1, 0.0, -2, -0.0, 0.0};

// Further operations, whose slope is infinite or NaN because of a number in them.
std::vector<Case> with_infinite_numbers() {
  using In = const Variables&;
  auto made = [](const std::string& label, const GradcheckFunction& f) {
    return Case{label, [] { return std::vector<Tensor>{Tensor::zeros({11}, DType::f64)}; }, f};
  };
  std::vector<Case> cases;
  for (double s : {kInf, -kInf, kNaN, 0.0, 1e300, 1e-300}) {
    std::string words = " " + std::to_string(s);
    cases.push_back(made("x s" + words, [s](In x) { return x[0] * s; }));
    cases.push_back(made("x / s" + words, [s](In x) { return x[0] / s; }));
    cases.push_back(made("s / x" + words, [s](In x) { return s / x[0]; }));
    cases.push_back(made("s - x" + words, [s](In x) { return s - x[0]; }));
    cases.push_back(made("x^s" + words, [s](In x) { return pow(x[0], s); }));
    double slope = s == 1e300 ? 1e30 : s == 1e-300 ? 1e-30 : s;  // which must fit f32
    cases.push_back(made("leaky_relu" + words, [slope](In x) { return leaky_relu(x[0], slope); }));
    cases.push_back(made("elu" + words, [slope](In x) { return elu(x[0], slope); }));
  }
  return cases;
}

template <class F>
void each_case(const F& f) {
  std::vector<CaseRow> rows = elementwise_cases();
  rows.push_back({"numbers", "operation", with_infinite_numbers()});
  for (const CaseRow& row : loss_cases())  // computed element by element; bce_loss refuses what is no probability
    if (row.name != "bce_loss") rows.push_back(row);
  for (const CaseRow& row : rows)
    for (const Case& c : row.cases) {
      CAPTURE(row.name);
      CAPTURE(c.label);
      f(c);
    }
}

// Calls f with the leaves of the case at special numbers, each number of the first leaf beside each of the others. A
// leaf holds as many of them at once as it has elements.
template <class F>
void at_special_numbers(const Case& c, DType dtype, const F& f) {
  Doubles numbers = special(dtype);
  std::vector<Tensor> given = c.leaves();
  size_t at_once = static_cast<size_t>(std::max<int64_t>(element_count(given[0].shape()), 1));
  size_t seconds = given.size() > 1 ? numbers.size() : 2;
  for (size_t first = 0; first < numbers.size(); first += at_once)
    for (size_t second = 0; second < seconds; ++second) {
      Variables x;
      for (const Tensor& t : given)
        x.emplace_back(in_turn(numbers, x.empty() ? first : second, t.shape(), dtype), Variable::kRequiresGrad);
      f(x, c.f(x), second);
    }
}

Variables gradients(const Variable& y, const Variables& x, const Variable& dy, bool recorded) {
  if (!y.requires_grad()) return {};
  return grad({y}, x, {.seeds = {dy}, .create_graph = recorded, .retain_graph = true, .allow_unused = true});
}
bool all_zero(const Variables& dx) {
  bool zero = true;
  for (const Variable& d : dx)
    if (d.defined())
      for (double v : d.value().to_vector()) zero = zero && v == 0;
  return zero;
}
bool is_view(const Case& c) { return c.plain && !c.label.ends_with(" contiguous"); }
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "zero gradient: the branch that was not chosen does not destroy the other") {
  for (DType dtype : {DType::f32, DType::f64})
    for (bool recorded : {false, true}) {
      Variable x(Tensor::from(Doubles{-4, 4, 0}, {3}).to(dtype), Variable::kRequiresGrad);
      Variable y = where(greater(x.value(), 0), sqrt(x), x);
      Variable dx = grad({sum(y)}, {x}, {.create_graph = recorded})[0];
      CHECK(dx.value().to_vector() == Doubles{1, 0.25, 1});
      if (recorded) CHECK(grad({sum(dx)}, {x})[0].value().to_vector() == Doubles{0, -1. / 32, 0});
    }
}

TEST_CASE_FIXTURE(LeakFree, "zero gradient: dy = 0 gives 0, fused and recorded, at every number") {
  each_case([](const Case& c) {
    for (DType dtype : {DType::f32, DType::f64})
      at_special_numbers(c, dtype, [&](const Variables& x, const Variable& y, size_t turn) {
        CAPTURE(x[0].value().to_vector());
        Variable dy = in_turn(kZeros, turn, y.shape(), dtype);
        CHECK_MESSAGE(all_zero(gradients(y, x, dy, false)), "fused");
        CHECK_MESSAGE(all_zero(gradients(y, x, dy, true)), "recorded");
      });
  });
}

TEST_CASE_FIXTURE(LeakFree, "zero gradient: some elements of dy are 0, the others have the gradient that they had") {
  each_case([](const Case& c) {
    for (const Tensor& t : c.leaves())
      if (is_view(c) || !(t.shape() == c.leaves()[0].shape())) return;  // sums of elements, as of a broadcast
    for (DType dtype : {DType::f32, DType::f64})
      at_special_numbers(c, dtype, [&](const Variables& x, const Variable& y, size_t turn) {
        if (!(y.shape() == x[0].shape())) return;
        Variable dy = in_turn(kSome, turn, y.shape(), dtype);
        Doubles up = dy.value().to_vector(), full = up;
        for (double& v : full) v = v == 0 ? 1 : v;
        for (bool recorded : {false, true}) {
          Variables some = gradients(y, x, dy, recorded);
          Variable others(Tensor::from(full, y.shape()).to(dtype));
          Variables all = gradients(y, x, others, recorded), negative = gradients(y, x, -others, recorded);
          for (size_t i = 0; i < some.size(); ++i) {
            if (!some[i].defined()) continue;
            Doubles got = some[i].value().to_vector(), want = all[i].value().to_vector(),
                    opposite = negative[i].value().to_vector();
            for (size_t e = 0; e < got.size(); ++e) {
              CHECK(same(got[e], up[e] == 0 ? 0 : want[e]));
              CHECK(same(opposite[e], -want[e]));  // a gate that takes too much does not take both signs
            }
          }
        }
      });
  });
}

TEST_CASE_FIXTURE(LeakFree, "zero gradient: second order, where dy is 0 and where its own gradient is 0") {
  each_case([](const Case& c) {
    if (is_view(c)) return;  // the first order above is enough
    for (DType dtype : {DType::f32, DType::f64}) {
      Doubles numbers = special(dtype);
      at_special_numbers(c, dtype, [&](const Variables& x, const Variable& y, size_t turn) {
        CAPTURE(x[0].value().to_vector());
        auto second = [&](const Doubles& first_seed, const Doubles& second_seed, bool by_dy) {
          Variable dy(in_turn(first_seed, turn, y.shape(), dtype), Variable::kRequiresGrad);
          for (const Variable& dx : gradients(y, x, dy, true)) {
            if (!dx.defined() || !dx.requires_grad()) continue;
            Variables by = x;
            if (by_dy) by.push_back(dy);
            if (!all_zero(gradients(dx, by, in_turn(second_seed, turn, dx.shape(), dtype), false))) return false;
          }
          return true;
        };
        CHECK_MESSAGE(second(kZeros, {1, -2}, false), "dy is 0");
        CHECK_MESSAGE(second(kZeros, numbers, false), "dy is 0, any gradient of dx");
        CHECK_MESSAGE(second({1, -2}, kZeros, true), "the gradient of dx is 0");
        CHECK_MESSAGE(second(numbers, kZeros, true), "the gradient of dx is 0, any dy");
      });
    }
  });
}

TEST_CASE_FIXTURE(LeakFree, "zero gradient: where dy is 0, the gradient by dy is still the slope") {
  int different_from_zero = 0;
  each_case([&](const Case& c) {
    Variables x;
    for (const Tensor& t : c.leaves()) x.emplace_back(t, Variable::kRequiresGrad);
    Variable y = c.f(x);
    auto slopes = [&](double value) {
      Variable dy(Tensor::full(y.shape(), value, DType::f64), Variable::kRequiresGrad), total = sum(dy * 0.0);
      for (const Variable& dx : gradients(y, x, dy, true))
        if (dx.defined()) total = total + sum(dx);
      return grad({total}, {dy})[0].value().to_vector();
    };
    Doubles at_zero = slopes(0);
    different_from_zero += std::any_of(at_zero.begin(), at_zero.end(), [](double v) { return v != 0; });
    Doubles elsewhere = slopes(1);
    for (size_t e = 0; e < at_zero.size(); ++e) CHECK(same(at_zero[e], elsewhere[e]));
  });
  CHECK(different_from_zero > 300);
}
