// Elementary functions and activations against PyTorch's numbers, with their second derivatives.
#include <doctest/doctest.h>

#include <map>

#include "autograd/ops.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

using Function = Variable (*)(const Golden&, const Variable&);

void check_second_order(const std::string& name, Function f) {
  in_both_precisions(name, [&](Golden& g, DType) {
    Variable x = g.leaf("x");
    g.check_second_order("y", f(g, x), {{"x", x}});
  });
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("activations, to the second derivative") {
    const std::map<std::string, Function> functions = {
        {"silu", [](const Golden&, const Variable& x) { return silu(x); }},
        {"gelu", [](const Golden&, const Variable& x) { return gelu(x); }},
        {"gelu_tanh", [](const Golden&, const Variable& x) { return gelu(x, Gelu::tanh_form); }},
        {"elu", [](const Golden& g, const Variable& x) { return elu(x, g.number("alpha")); }},
        {"elu_alpha", [](const Golden& g, const Variable& x) { return elu(x, g.number("alpha")); }},
        {"softplus", [](const Golden& g, const Variable& x) { return softplus(x, {.beta = g.number("beta")}); }},
        {"softplus_beta", [](const Golden& g, const Variable& x) { return softplus(x, {.beta = g.number("beta")}); }},
        {"leaky_relu", [](const Golden& g, const Variable& x) { return leaky_relu(x, g.number("negative_slope")); }},
        {"leaky_relu_slope",
         [](const Golden& g, const Variable& x) { return leaky_relu(x, g.number("negative_slope")); }},
        {"selu", [](const Golden&, const Variable& x) { return selu(x); }},
        {"mish", [](const Golden&, const Variable& x) { return mish(x); }},
        {"hardtanh", [](const Golden&, const Variable& x) { return hardtanh(x); }}};
    for (const auto& [name, f] : functions) check_second_order(name, f);
  }

  TEST_CASE("elementary functions, to the second derivative") {
    using Unary = Variable (*)(const Variable&);
    const std::pair<const char*, Unary> functions[] = {{"abs", abs},
                                                       {"exp", exp},
                                                       {"expm1", expm1},
                                                       {"erf", erf},
                                                       {"sin", sin},
                                                       {"cos", cos},
                                                       {"log", log},
                                                       {"log1p", log1p},
                                                       {"sqrt", sqrt},
                                                       {"rsqrt", rsqrt},
                                                       {"reciprocal", reciprocal}};
    for (const auto& [name, f] : functions)
      in_both_precisions(name, [f = f](Golden& g, DType) {
        Variable x = g.leaf("x");
        g.check_second_order("y", f(x), {{"x", x}});
      });
    check_second_order("clamp",
                       [](const Golden& g, const Variable& x) { return clamp(x, g.number("min"), g.number("max")); });
  }

  TEST_CASE("functions of two arguments that broadcast, to the second derivative") {
    using Binary = Variable (*)(const Variable&, const Variable&);
    const std::pair<const char*, Binary> functions[] = {
        {"mul", mul}, {"div", div}, {"pow", pow}, {"maximum", maximum}, {"minimum", minimum}};
    for (const auto& [name, f] : functions)
      in_both_precisions(name, [f = f](Golden& g, DType) {
        Variable a = g.leaf("a"), b = g.leaf("b");
        g.check_second_order("y", f(a, b), {{"a", a}, {"b", b}});
      });
  }
}
