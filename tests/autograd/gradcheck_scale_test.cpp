// The gradient check has no scale of its own: c f(s x) at x / s is judged as f is at x, whatever c and s. A right
// gradient passes, and a planted fault is found and named, for every function, method and order.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/attach.h"
#include "autograd/cases/cases.h"
#include "autograd/gradcheck.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

using namespace heed;

namespace {

using Doubles = std::vector<double>;
using In = const std::vector<Variable>&;
using Method = GradcheckOptions::Method;

struct Scale {
  double c, s;
};
const std::vector<Scale> kScales = {{1e-200, 1},    {1e-30, 1},     {1e-10, 1},   {1e10, 1},     {1e100, 1},
                                    {1, 1e-100},    {1, 1e-10},     {1, 1e-5},    {1, 1e5},      {1, 1e10},
                                    {1, 1e100},     {1e-10, 1e-10}, {1e10, 1e10}, {1e-10, 1e10}, {1e10, 1e-10},
                                    {1e-100, 1e50}, {1e100, 1e-50}};

GradcheckFunction scaled(const GradcheckFunction& f, Scale k) {
  return [f, k](In in) {
    std::vector<Variable> x;
    for (const Variable& v : in) x.push_back(v * k.s);
    return f(x) * k.c;
  };
}
std::vector<Tensor> scaled(const std::vector<Tensor>& inputs, Scale k) {
  std::vector<Tensor> x;
  for (const Tensor& t : inputs) x.push_back(div(t, k.s));
  return x;
}

struct Row {
  std::string name;
  GradcheckFunction f;
  int inputs = 1;
};
const std::vector<Row> kRows = {
    {"square", [](In in) { return square(in[0]); }},
    {"cube", [](In in) { return in[0] * square(in[0]); }},
    {"exp", [](In in) { return exp(in[0]); }},
    {"log", [](In in) { return log(in[0]); }},
    {"sqrt", [](In in) { return sqrt(in[0]); }},
    {"tanh", [](In in) { return tanh(in[0]); }},
    {"1 / x", [](In in) { return 1.0 / in[0]; }},
    {"product", [](In in) { return in[0] * in[1]; }, 2},
    {"quotient", [](In in) { return in[0] / in[1]; }, 2},
    {"matmul", [](In in) { return matmul(in[0], in[1]); }, 2},
    {"sum of squares", [](In in) { return sum(square(in[0])); }},
    {"mean of a product", [](In in) { return mean(in[0] * transpose(in[1], 0, 1) * in[1]); }, 2},
    {"softmax", [](In in) { return softmax(in[0], -1); }},
    {"log_softmax", [](In in) { return log_softmax(in[0], -1); }},
    {"layer_norm", [](In in) { return layer_norm(in[0], in[1], {}, {.axes = 2, .eps = 0}); }, 2},
    {"attention", [](In in) { return matmul(softmax(matmul(in[0], transpose(in[1], 0, 1)), -1), in[1]); }, 2},
};

std::vector<Tensor> inputs_of(const Row& row, uint64_t seed = 1) {
  Generator rng(seed);
  std::vector<Tensor> inputs;
  for (int i = 0; i < row.inputs; ++i) inputs.push_back(Tensor::uniform({3, 3}, rng, 0.5, 2.5, DType::f64));
  return inputs;
}

std::string at(const Row& row, Scale k, Method method) {
  return row.name + " c " + std::to_string(std::log10(k.c)) + " s " + std::to_string(std::log10(k.s)) + " method " +
         std::to_string(method);
}

// x with a gradient that is multiplied by `factor`; added: that is added to it.
Variable with_gradient(const Variable& x, double factor, double added = 0) {
  return attach("altered", {x}, x.value(),
                [factor, added](Grads& g, const Variable& dy) { g.add(0, dy * factor + added); });
}

}  // namespace

TEST_SUITE("gradcheck") {
  TEST_CASE("gradcheck: right gradients pass and planted faults are named alike at every scale") {
    for (const Row& row : kRows)
      for (Method method : {Method::elements, Method::jacobian, Method::directions}) {
        std::vector<Tensor> inputs = inputs_of(row);
        for (Fault fault : {Fault::none, Fault::sign, Fault::missing, Fault::twice, Fault::mean, Fault::transpose}) {
          auto check = [&](Scale k) {
            GradcheckFunction f = scaled(row.f, k);
            return gradcheck(fault == Fault::none ? f : plant_fault(f, fault), scaled(inputs, k), {.method = method});
          };
          GradcheckReport want = check({1, 1});
          if (fault == Fault::none) CHECK_MESSAGE(want.passed, row.name << ": " << to_string(want));
          if (fault == Fault::sign || fault == Fault::twice || (fault != Fault::none && method == Method::elements))
            CHECK_MESSAGE(want.fault == fault,
                          row.name << " " << std::string(name_of(fault)) << ": " << to_string(want));
          for (Scale k : kScales) {
            GradcheckReport r = check(k);
            CHECK_MESSAGE((r.passed == want.passed && r.fault == want.fault),
                          at(row, k, method) << " " << std::string(name_of(fault)) << ": " << to_string(r));
          }
        }
      }
  }

  TEST_CASE("gradgradcheck: second derivatives are judged alike at every scale") {
    for (const Row& row : kRows)
      for (Scale k : kScales) {
        GradcheckReport r = gradgradcheck(scaled(row.f, k), scaled(inputs_of(row), k));
        CHECK_MESSAGE(r.passed, at(row, k, Method::elements) << ": " << to_string(r));
      }
    for (double factor : {-1.0, 0.0, 2.0}) {  // x^2 and its right gradient, whose own gradient is wrong
      auto f = [factor](In in) {
        return attach("hollow", {in[0]}, square(in[0].value()),
                      [sx = save(in[0]), factor](Grads& g, const Variable& dy) {
                        g.add(0, dy * with_gradient(g[sx], factor) * 2);
                      });
      };
      std::vector<Tensor> inputs = inputs_of(kRows[0]);
      for (Scale k : kScales) {
        CHECK(gradcheck(scaled(f, k), scaled(inputs, k)).passed);
        GradcheckReport r = gradgradcheck(scaled(f, k), scaled(inputs, k));
        CHECK_MESSAGE(!r.passed, at(kRows[0], k, Method::elements));
        CHECK(r.fault == (factor < 0 ? Fault::sign : factor == 0 ? Fault::missing : Fault::twice));
      }
    }
  }

  TEST_CASE("gradcheck: a gradient that is 0 but for rounding passes, and a wrong one does not") {
    const std::vector<Row> zero = {
        {"x - x", [](In in) { return in[0] - in[0]; }},
        {"sum of softmax", [](In in) { return sum(softmax(in[0], -1), {-1}); }},
        {"sum of softmax - 1", [](In in) { return sum(softmax(in[0], -1), {-1}) - 1; }},
        {"sum of x - mean x", [](In in) { return sum(in[0] - mean(in[0], {-1}, true), {-1}); }},
        {"sum of layer_norm", [](In in) { return sum(layer_norm(in[0], {}, {}, {.eps = 0}), {-1}); }},
        {"exp log - x", [](In in) { return exp(log(in[0])) - in[0]; }},
        {"constant", [](In in) { return in[0] * 0.0 + 1; }},
    };
    for (const Row& row : zero)
      for (Method method : {Method::elements, Method::jacobian, Method::directions})
        for (uint64_t seed : {uint64_t{1}, uint64_t{2}})
          for (const std::vector<Scale>& some : {std::vector<Scale>{{1, 1}}, kScales})
            for (Scale k : some) {
              if ((seed > 1 || method == Method::jacobian) && k.c * k.s != 1) continue;
              GradcheckReport r =
                  gradcheck(scaled(row.f, k), scaled(inputs_of(row, seed), k), {.method = method, .seed = seed});
              CHECK_MESSAGE(r.passed, at(row, k, method) << ": " << to_string(r));
              auto wrong = [&](In in) {
                return scaled(row.f, k)({in[0]}) + 0.0 * with_gradient(in[0], 1, 1e-3 * k.c * k.s);
              };
              CHECK_FALSE(gradcheck(wrong, scaled(inputs_of(row, seed), k), {.method = method, .seed = seed}).passed);
            }
  }

  TEST_CASE("gradcheck: at an input of zeros, which has no scale, it finds that of the function") {
    const std::vector<Row> rows = {{"sin", [](In in) { return sin(in[0]); }},
                                   {"exp", [](In in) { return exp(in[0]); }},
                                   {"tanh of a sum", [](In in) { return tanh(sum(in[0], {-1})); }},
                                   {"softmax", [](In in) { return sum(softmax(in[0], -1) * in[1], {-1}); }, 2}};
    for (const Row& row : rows)
      for (Method method : {Method::elements, Method::jacobian, Method::directions})
        for (Fault fault : {Fault::none, Fault::sign, Fault::missing, Fault::twice})
          for (double s : {1e-200, 1e-5, 1.0, 1e3, 1e4, 1e5, 1e6, 1e8, 1e10, 1e100})
            for (double c : {1e-30, 1.0, 1e30}) {
              if (s < 1e-9 && (row.name == "exp" || row.name == "softmax"))
                continue;  // beside 1, s x is a rounding error
              std::vector<Tensor> inputs = inputs_of(row);
              inputs[0] = Tensor::zeros({3, 3}, DType::f64);
              GradcheckFunction f = [&](In in) {
                std::vector<Variable> x = in;
                x[0] = x[0] * s;
                return row.f(x) * c;
              };
              GradcheckReport r =
                  gradcheck(fault == Fault::none ? f : plant_fault(f, fault), inputs, {.method = method});
              CHECK_MESSAGE(r.passed == (fault == Fault::none),
                            at(row, {c, s}, method) << " " << std::string(name_of(fault)) << ": " << to_string(r));
            }
  }

  TEST_CASE("gradcheck: at a corner it blames the point at every scale") {
    for (Scale k : kScales) {
      Tensor x = Tensor::from(Doubles{1, 0, -1}, {3});
      auto f = scaled([](In in) { return relu(in[0]) * 2; }, k);
      CHECK(gradcheck(f, scaled({x}, k)).fault == Fault::kink);
      CHECK(gradcheck(plant_fault(f, Fault::sign), scaled({Tensor::from(Doubles{1, 2, -1}, {3})}, k)).fault ==
            Fault::sign);
      auto stationary = plant_fault(scaled([](In in) { return square(in[0]) + in[0] * 0.1; }, k), Fault::twice);
      CHECK(gradcheck(stationary, scaled({Tensor::from(Doubles{0, -0.05, 1}, {3})}, k)).fault == Fault::twice);
    }
  }
}

TEST_CASE("gradcheck: the gradient of a tiny function is checked") {
  Tensor x = Tensor::from(Doubles{1, -2, 0.5}, {3});
  auto f = [](In in) { return square(in[0]) * 1e-10; };
  CHECK(gradcheck(f, {x}).passed);
  GradcheckReport r = gradcheck(plant_fault(f, Fault::twice), {x});
  CHECK(r.fault == Fault::twice);
  CHECK(r.max_relative_error == doctest::Approx(0.5));
}

TEST_CASE("gradcheck: the step follows a number that is tiny or huge, where f does") {
  struct Place {
    std::string name;
    GradcheckFunction f;
    Doubles x;
  };
  for (const Place& p :
       std::vector<Place>{{"square", [](In in) { return square(in[0]); }, {1e-10, -3e-12}},
                          {"steep beside rounding", [](In in) { return 6e5 + tanh((in[0] - 1.0) * 1e3); }, {1.0005}},
                          {"cube", [](In in) { return square(in[0]) * in[0]; }, {1e-8, 2e-9}},
                          {"log", [](In in) { return log(in[0]); }, {1e-9, 1e-200, 1e9, 1e300, 1}},
                          {"1 / x", [](In in) { return 1.0 / in[0]; }, {1e-9, 3e-9}},
                          {"1 + tanh", [](In in) { return 1 + tanh(in[0]); }, {1e-10, 1e-300, 0.1}},
                          {"1 + tanh, and 0", [](In in) { return 1 + tanh(in[0]); }, {0, 1e-12}},
                          {"exp", [](In in) { return exp(in[0]); }, {700, 650, -700}},
                          {"square, huge", [](In in) { return square(in[0]); }, {1e10, 1e12}},
                          {"sqrt", [](In in) { return sqrt(in[0]); }, {1e300, 3e299}},
                          {"sqrt, tiny", [](In in) { return sqrt(in[0]); }, {1e-300}},
                          {"sigmoid", [](In in) { return sigmoid(in[0] * 1e-5); }, {1e5, 3e4}}})
    for (size_t e = 0; e <= p.x.size(); ++e) {  // all numbers together, and each alone
      Doubles some = e == p.x.size() ? p.x : Doubles{p.x[e]};
      if (some.size() == 1 && some[0] == 0) continue;
      Tensor x = Tensor::from(some, {static_cast<int64_t>(some.size())});
      for (Method method : {Method::elements, Method::jacobian}) {
        CHECK_MESSAGE(gradcheck(p.f, {x}, {.method = method}).passed,
                      p.name << " " << e << ": " << to_string(gradcheck(p.f, {x}, {.method = method})));
        for (Fault fault : {Fault::sign, Fault::missing, Fault::twice})
          CHECK_MESSAGE(
              gradcheck(plant_fault(p.f, fault), {x}, {.method = method}).fault == fault,
              p.name << " " << e << ": " << to_string(gradcheck(plant_fault(p.f, fault), {x}, {.method = method})));
      }
    }
}

TEST_CASE("gradcheck: an output that is infinite hides no other gradient") {
  Tensor mask = Tensor::from_bools({0, 1, 0}, {3}), x = Tensor::from(Doubles{1, 2, 3}, {3});
  auto f = [mask](In in) { return masked_fill(square(in[0]), mask, -INFINITY); };
  for (Method method : {Method::elements, Method::jacobian, Method::directions}) {
    CHECK(gradcheck(f, {x}, {.method = method}).passed);
    CHECK_FALSE(gradcheck(plant_fault(f, Fault::twice), {x}, {.method = method}).passed);
  }
  auto pole = [](In in) { return 1.0 / in[0]; };
  GradcheckReport r = gradcheck(plant_fault(pole, Fault::twice), {Tensor::from(Doubles{1, 1e-320}, {2})});
  CHECK_FALSE(r.passed);
}
