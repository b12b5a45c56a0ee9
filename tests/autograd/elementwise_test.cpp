// What the case table cannot see: fused gradients beside composed ones in both precisions, and the points where a
// formula alone would give NaN.
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> gradient(const Variable& y, const Variable& x) {
  return grad({sum(y)}, {x})[0].value().to_vector();
}

struct Activation {
  const char* name;
  Variable (*fused)(const Variable&);
  Variable (*composed)(const Variable&);
};
const Activation kActivations[] = {
    {"leaky_relu", [](const Variable& x) { return leaky_relu(x, 0.2); },
     [](const Variable& x) { return maximum(x, x * 0.2); }},
    {"elu", [](const Variable& x) { return elu(x, 0.7); },
     [](const Variable& x) { return where(greater(x.value(), 0), x, (exp(x) - 1) * 0.7); }},
    {"gelu", [](const Variable& x) { return gelu(x); },
     [](const Variable& x) { return x * (erf(x * std::sqrt(0.5)) + 1) * 0.5; }},
    {"gelu, tanh form", [](const Variable& x) { return gelu(x, Gelu::tanh_form); },
     [](const Variable& x) { return x * 0.5 * (tanh((x + pow(x, 3) * 0.044715) * std::sqrt(2 / std::acos(-1))) + 1); }},
    {"tanh", tanh, [](const Variable& x) { return 1 - 2 / (exp(x * 2) + 1); }},
    {"sigmoid", sigmoid, [](const Variable& x) { return 1 / (exp(-x) + 1); }},
    {"silu", silu, [](const Variable& x) { return x * sigmoid(x); }},
    {"mish", mish, [](const Variable& x) { return x * tanh(log(exp(x) + 1)); }},
    {"softplus", [](const Variable& x) { return softplus(x, {.beta = 2}); },
     [](const Variable& x) { return log(exp(x * 2) + 1) * 0.5; }},
};

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "activations: fused, recorded and composed agree, values and both derivatives") {
  for (const Activation& f : kActivations)
    for (DType dtype : {DType::f32, DType::f64}) {
      INFO(std::string(f.name));
      Variable x = random_leaf({7, 9}, 3, dtype);
      auto agree = [&](const Variable& a, const Variable& b) {
        double scale = 1;
        for (double v : b.value().to_vector()) scale = std::max(scale, std::abs(v));
        return max_abs_difference(a.value(), b.value()) <= (dtype == DType::f32 ? 1e-5 : 1e-12) * scale;
      };
      Variable y = f.fused(x * 2), twin = f.composed(x * 2);
      CHECK(agree(y, twin));
      Variable fused = grad({sum(square(y))}, {x}, {.retain_graph = true})[0];
      Variable recorded = grad({sum(square(y))}, {x}, {.create_graph = true})[0];
      Variable composed = grad({sum(square(twin))}, {x}, {.create_graph = true})[0];
      CHECK(agree(fused, composed));
      CHECK(agree(recorded, composed));
      CHECK(agree(grad({sum(square(recorded))}, {x})[0], grad({sum(square(composed))}, {x})[0]));
    }
}

TEST_CASE_FIXTURE(LeakFree, "activations at their corners") {
  Variable x = leaf({-1000, 0, 1000}, {3});
  CHECK(gradient(leaky_relu(x, 0.2), x) == std::vector<double>{0.2, 0.2, 1});
  CHECK(gradient(elu(x, 0.7), x) == std::vector<double>{0, 0.7, 1});
  CHECK(gradient(gelu(x), x) == std::vector<double>{0, 0.5, 1});
  CHECK(gradient(gelu(x, Gelu::tanh_form), x) == std::vector<double>{0, 0.5, 1});
  CHECK(gradient(silu(x), x) == std::vector<double>{0, 0.5, 1});
  CHECK(gradient(softplus(x), x) == std::vector<double>{0, 0.5, 1});
  CHECK(gradient(mish(x), x)[1] == doctest::Approx(0.6));
  Variable corners = leaf({-2, -1, 0, 1, 2});
  CHECK(hardtanh(corners).value().to_vector() == Doubles{-1, -1, 0, 1, 1});
  CHECK(gradient(hardtanh(corners), corners) == Doubles{0, 0, 1, 0, 0});
  CHECK(gradient(clamp(corners, -1, 1), corners) == Doubles{0, 1, 1, 1, 0});
  CHECK(selu(leaf({-1000, 0, 1})).value().to_vector()[0] == doctest::Approx(-1.7580993408473766));
  Generator rng(8);
  Variable y = selu(Variable(Tensor::normal({200000}, rng, 0, 1, DType::f64)));  // mean 0 and variance 1 again
  CHECK(mean(y).item() == doctest::Approx(0).epsilon(0.02));
  CHECK(var(y).item() == doctest::Approx(1).epsilon(0.02));
  // Recorded too: no exponential overflows.
  for (const Activation& f : kActivations) {
    INFO(std::string(f.name));
    for (double v : grad({sum(f.fused(x))}, {x}, {.create_graph = true})[0].value().to_vector())
      CHECK(std::isfinite(v));
  }
  CHECK_THROWS_AS(softplus(x, {.beta = -1}), ValueError);
  CHECK_THROWS_AS(gelu(Variable(Tensor::arange(3))), DTypeError);
}

TEST_CASE_FIXTURE(LeakFree, "pow of two tensors where the base or the exponent is 0") {
  Variable a = leaf({0, 0, 0, 2}, {4}), b = leaf({0, 1, 2, 0}, {4});
  Variable y = pow(a, b);
  CHECK(y.value().to_vector() == std::vector<double>{1, 0, 0, 1});
  auto d = grad({sum(y)}, {a, b}, {.create_graph = true});
  CHECK(d[0].value().to_vector() == std::vector<double>{0, 1, 0, 0});
  CHECK(d[1].value().to_vector() == std::vector<double>{0, 0, 0, std::log(2.0)});
  // d(b a^(b-1))/db = a^(b-1) (1 + b ln a): one half at 2^0
  CHECK(grad({sum(d[0])}, {b})[0].value().at({3}) == doctest::Approx(0.5));
  Variable negative = leaf({-2}, {1});
  CHECK(gradient(pow(negative, leaf({3}, {1})), negative) == std::vector<double>{12});
}

TEST_CASE_FIXTURE(LeakFree, "scalars on either side") {
  Variable x = leaf({2, 4}, {2});
  CHECK(sub(x, 1.5).value().to_vector() == std::vector<double>{0.5, 2.5});
  CHECK(sub(1.5, x).value().to_vector() == std::vector<double>{-0.5, -2.5});
  CHECK(div(x, 4).value().to_vector() == std::vector<double>{0.5, 1});
  CHECK(div(4, x).value().to_vector() == std::vector<double>{2, 1});
  CHECK(gradient(sub(1.5, x), x) == std::vector<double>{-1, -1});
  CHECK(gradient(div(4, x), x) == std::vector<double>{-1, -0.25});
}

TEST_CASE_FIXTURE(LeakFree, "steps: values, and the gradient 0 whatever arrives") {
  Variable x = leaf({-1.5, -0.5, 0, 0.5, 2.5});
  CHECK(sign(x).value().to_vector() == Doubles{-1, -1, 0, 1, 1});
  CHECK(floor(x).value().to_vector() == Doubles{-2, -1, 0, 0, 2});
  CHECK(round(x).value().to_vector() == Doubles{-2, 0, 0, 0, 2});
  using Step = Variable (*)(const Variable&);
  for (Step step : {Step{sign}, Step{floor}, Step{round}}) {
    CHECK(gradient(step(x) * kInf, x) == Doubles(5, 0));
    Variable first = grad({sum(step(x))}, {x}, {.create_graph = true})[0];
    CHECK(first.value().to_vector() == Doubles(5, 0));
  }
}

TEST_CASE_FIXTURE(LeakFree,
                  "where a function is flat, no gradient passes, however large: 0 times infinity is not computed") {
  struct Flat {
    const char* name;
    double at;
    Variable (*f)(const Variable&);
  };
  const Flat flats[] = {
      {"relu", -1, relu},
      {"relu", 0, relu},
      {"leaky_relu", -1, [](const Variable& x) { return leaky_relu(x, 0); }},
      {"clamp", -2, [](const Variable& x) { return clamp(x, 0, 1); }},
      {"clamp", 2, [](const Variable& x) { return clamp(x, 0, 1); }},
      {"hardtanh", 3, [](const Variable& x) { return hardtanh(x, 0, 1); }},
      {"abs", 0, abs},
      {"sign", 0.5, sign},
      {"floor", 0.5, floor},
      {"round", 0.5, round},
      {"maximum", -1, [](const Variable& x) { return maximum(x, Tensor::scalar(0, DType::f64)); }},
      {"maximum", -1, [](const Variable& x) { return maximum(Tensor::scalar(0, DType::f64), x); }},
      {"minimum", 1, [](const Variable& x) { return minimum(x, Tensor::scalar(0, DType::f64)); }},
      {"minimum", 1, [](const Variable& x) { return minimum(Tensor::scalar(0, DType::f64), x); }},
      {"pow", 2, [](const Variable& x) { return pow(x, 0); }},
      {"pow", 0, [](const Variable& x) { return pow(x, 0); }},
      {"pow of a tensor", 2, [](const Variable& x) { return pow(x, Tensor::scalar(0, DType::f64)); }},
      {"pow to a tensor", 2, [](const Variable& x) { return pow(Tensor::scalar(0, DType::f64), x); }},
      {"where", 1, [](const Variable& x) { return where(greater(x.value(), 2), x, Tensor::scalar(0, DType::f64)); }},
      {"masked_fill", 1, [](const Variable& x) { return masked_fill(x, greater(x.value(), 0), 0); }}};
  for (const Flat& flat : flats) {
    INFO(std::string(flat.name), " at ", flat.at);
    Variable x = leaf({flat.at});
    CHECK(gradient(flat.f(x) * kInf, x) == Doubles{0});
    CHECK(grad({sum(flat.f(x) * kInf)}, {x}, {.create_graph = true})[0].item() == 0);
  }
  Variable x = leaf({-1}), root = sqrt(relu(x));
  Variable first = grad({sum(root)}, {x}, {.create_graph = true})[0];
  CHECK(first.item() == 0);
  CHECK(grad({sum(first)}, {x})[0].value().item() == 0);
}

TEST_CASE_FIXTURE(LeakFree, "a scalar divides and is divided with every digit, and integers refuse fractions") {
  Variable x = leaf({1, 3, 49});
  for (double s : {3.0, 49.0, 0.1, 1e-310, 1e300}) {
    Doubles quotients, inverses;
    for (double v : x.value().to_vector()) quotients.push_back(v / s), inverses.push_back(s / v);
    CHECK((x / s).value().to_vector() == quotients);
    CHECK((s / x).value().to_vector() == inverses);
    CHECK(gradient(x / s, x) == Doubles(3, 1 / s));
  }
  CHECK(gradient(2.0 / x, x) == Doubles{-2, -2.0 / 3 / 3, -2.0 / 49 / 49});
  Variable tiny = leaf({1e-200}), second = grad({sum(1e-300 / tiny)}, {tiny}, {.create_graph = true})[0];
  CHECK(second.item() == doctest::Approx(-1e100));  // no square of x on the way
  CHECK(grad({sum(second)}, {tiny})[0].value().item() == doctest::Approx(2e300));
  const Variable ints = Tensor::arange(3);
  CHECK((ints * 2.0 + 1.0 - 3.0).value().to_vector() == Doubles{-2, 0, 2});
  CHECK((1.0 - ints).value().to_vector() == Doubles{1, 0, -1});
  CHECK(error_of([&] { ints / 2.0; }) == "div: takes f32 or f64; got i64; convert with to(DType::f32)");
  CHECK(error_of([&] { 2.0 / ints; }) == "div: takes f32 or f64; got i64; convert with to(DType::f32)");
  const std::string rule = ": the scalar must be a value of the tensor's dtype; got 0.5 for i64; convert with ";
  CHECK(error_of([&] { ints + 0.5; }) == "add" + rule + "to(DType::f32)");
  CHECK(error_of([&] { ints * 0.5; }) == "mul" + rule + "to(DType::f32)");
  CHECK(error_of([&] { ints - 0.5; }).substr(0, 4) == "sub:");
  CHECK(error_of([&] { 0.5 - ints; }).substr(0, 4) == "sub:");
}

TEST_CASE_FIXTURE(LeakFree, "maximum and minimum: each side of a tie has half of the gradient") {
  for (auto* f : {static_cast<Variable (*)(const Variable&, const Variable&)>(maximum),
                  static_cast<Variable (*)(const Variable&, const Variable&)>(minimum)}) {
    Variable a = leaf({2, 3}), b = leaf({2, 3});
    backward(sum(f(a, b) * 4));
    CHECK(a.grad().to_vector() == Doubles{2, 2});
    CHECK(b.grad().to_vector() == Doubles{2, 2});
  }
}

TEST_CASE_FIXTURE(LeakFree, "refused by name: integers, two dtypes, shapes that do not broadcast") {
  const Variable ints = Tensor::arange(3), f32 = Tensor::ones({3}), f64 = Tensor::ones({3}, DType::f64),
                 two = Tensor::ones({2});
  const std::pair<const char*, Variable (*)(const Variable&)> unary[] = {
      {"exp", exp},
      {"log", log},
      {"sqrt", sqrt},
      {"rsqrt", rsqrt},
      {"reciprocal", reciprocal},
      {"sin", sin},
      {"cos", cos},
      {"erf", erf},
      {"expm1", expm1},
      {"log1p", log1p},
      {"tanh", tanh},
      {"sigmoid", sigmoid},
      {"relu", relu},
      {"sign", sign},
      {"floor", floor},
      {"round", round},
      {"silu", silu},
      {"mish", mish},
      {"elu", [](const Variable& x) { return elu(x); }},
      {"leaky_relu", [](const Variable& x) { return leaky_relu(x); }},
      {"softplus", [](const Variable& x) { return softplus(x); }},
      {"hardtanh", [](const Variable& x) { return hardtanh(x); }},
      {"clamp", [](const Variable& x) { return clamp(x, 0, 1); }}};
  for (const auto& [name, f] : unary)
    CHECK(error_of([&, &g = f] { g(ints); }) ==
          std::string(name) + ": takes f32 or f64; got i64; convert with to(DType::f32)");

  const std::pair<const char*, Variable (*)(const Variable&, const Variable&)> binary[] = {
      {"add", add}, {"sub", sub}, {"mul", mul}, {"div", div}, {"pow", pow}, {"maximum", maximum}, {"minimum", minimum}};
  for (const auto& [name, f] : binary) {
    CHECK(error_of([&, &g = f] { g(f32, two); }) ==
          std::string(name) +
              ": sizes must be equal or 1, aligned at the right; got a [3] and b [2] (axis -1: 3 vs 2)");
    CHECK(error_of([&, &g = f] { g(f32, f64); }) ==
          std::string(name) + ": both must have one dtype; got a f32 [3] and b f64 [3]; convert one with to(...)");
  }
}

TEST_CASE_FIXTURE(LeakFree, "elementary functions near 0 keep their digits") {
  Variable x = leaf({1e-18, -1e-18}, {2});
  CHECK(expm1(x).value().to_vector() == x.value().to_vector());
  CHECK(log1p(x).value().to_vector() == x.value().to_vector());
  CHECK(gradient(expm1(x), x) == std::vector<double>{1, 1});
  CHECK(gradient(log1p(x), x) == std::vector<double>{1, 1});
  CHECK(gradient(erf(x), x)[0] == doctest::Approx(2 / std::sqrt(std::acos(-1))));
  Variable zero = leaf({0}, {1});
  CHECK(gradient(rsqrt(zero), zero) == std::vector<double>{-kInf});
  CHECK(gradient(reciprocal(zero), zero) == std::vector<double>{-kInf});
}
