// Operations that exist for Tensors and for Variables: Tensors give a Tensor, and no call is ambiguous, with the one
// header that a user includes.
#include "autograd/ops.h"
#include "tests/source_dir.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <type_traits>

using namespace heed;

namespace {

const Tensor t = Tensor::ones({2, 2}), mask = Tensor::from_bools({1, 0}, {2});
const Tensor at = Tensor::from(std::vector<int64_t>{0, 1}, {2});
const Variable v(t);

// The names that this file has asserted on.
std::set<std::string> checked;

// f(operand) for a Tensor and for a Variable.
template <class F>
void both(const std::string& name, const F& f) {
  static_assert(std::is_same_v<decltype(f(t)), Tensor>);
  static_assert(std::is_same_v<decltype(f(v)), Variable>);
  checked.insert(name);
  CHECK(f(t).shape() == f(v).shape());
}

// Names declared at the start of a line as `type name(`.
std::set<std::string> declared(const std::string& folder, const std::vector<std::string>& headers,
                               const std::string& type) {
  std::set<std::string> names;
  for (const std::string& header : headers) {
    std::ifstream file(source_dir() + "/" + folder + "/" + header + ".h");
    REQUIRE_MESSAGE(file.good(), header);
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("inline ", 0) == 0) line = line.substr(7);
      if (line.rfind(type + " ", 0) != 0) continue;
      std::string rest = line.substr(type.size() + 1), name = rest.substr(0, rest.find('('));
      if (name.size() < rest.size() && name.find(' ') == std::string::npos) names.insert(name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("matmul of Variables refuses what that of tensors refuses, in the same words") {
  const std::vector<Shape> shapes{{}, {3}, {4}, {2, 3}, {3, 2}, {2, 3, 4}, {2, 4, 3}, {5, 3, 2}, {0}};
  int refused = 0;
  for (const Shape& a : shapes)
    for (const Shape& b : shapes) {
      auto said = [&](auto made) -> std::string {
        try {
          matmul(made(Tensor::ones(a)), made(Tensor::ones(b)));
        } catch (const ShapeError& error) { return error.what(); }
        return "";
      };
      const std::string wanted = said([](const Tensor& x) { return x; });
      CHECK(said([](const Tensor& x) { return Variable(x, Variable::kRequiresGrad); }) == wanted);
      refused += !wanted.empty();
    }
  CHECK(refused > 40);
}

TEST_CASE("overloads: Tensors give a Tensor, Variables a Variable") {
  both("add", [](const auto& x) { return add(x, x); });
  both("add", [](const auto& x) { return add(x, 2); });
  both("sub", [](const auto& x) { return sub(x, x); });
  both("sub", [](const auto& x) { return sub(1, x); });
  both("mul", [](const auto& x) { return mul(x, x); });
  both("div", [](const auto& x) { return div(x, 2); });
  both("pow", [](const auto& x) { return pow(x, 2); });
  both("pow", [](const auto& x) { return pow(x, x); });
  both("maximum", [](const auto& x) { return maximum(x, x); });
  both("minimum", [](const auto& x) { return minimum(x, x); });
  both("where", [](const auto& x) { return where(mask, x, x); });
  both("masked_fill", [](const auto& x) { return masked_fill(x, mask, 0); });
  both("clamp", [](const auto& x) { return clamp(x, 0, 1); });
  both("neg", [](const auto& x) { return neg(x); });
  both("abs", [](const auto& x) { return abs(x); });
  both("square", [](const auto& x) { return square(x); });
  both("exp", [](const auto& x) { return exp(x); });
  both("log", [](const auto& x) { return log(x); });
  both("sqrt", [](const auto& x) { return sqrt(x); });
  both("tanh", [](const auto& x) { return tanh(x); });
  both("sigmoid", [](const auto& x) { return sigmoid(x); });
  both("relu", [](const auto& x) { return relu(x); });
  both("sin", [](const auto& x) { return sin(x); });
  both("cos", [](const auto& x) { return cos(x); });
  both("erf", [](const auto& x) { return erf(x); });
  both("expm1", [](const auto& x) { return expm1(x); });
  both("log1p", [](const auto& x) { return log1p(x); });
  both("rsqrt", [](const auto& x) { return rsqrt(x); });
  both("reciprocal", [](const auto& x) { return reciprocal(x); });
  both("sign", [](const auto& x) { return sign(x); });
  both("floor", [](const auto& x) { return floor(x); });
  both("round", [](const auto& x) { return round(x); });
  both("leaky_relu", [](const auto& x) { return leaky_relu(x); });
  both("elu", [](const auto& x) { return elu(x); });
  both("gelu", [](const auto& x) { return gelu(x); });
  both("silu", [](const auto& x) { return silu(x); });
  both("mish", [](const auto& x) { return mish(x); });
  both("softplus", [](const auto& x) { return softplus(x); });
  both("sum", [](const auto& x) { return sum(x); });
  both("sum", [](const auto& x) { return sum(x, {0}); });
  both("sum_to", [](const auto& x) { return sum_to(x, {2}); });
  both("max", [](const auto& x) { return max(x, 0); });
  both("min", [](const auto& x) { return min(x, 0); });
  both("amax", [](const auto& x) { return amax(x); });
  both("amin", [](const auto& x) { return amin(x); });
  both("prod", [](const auto& x) { return prod(x); });
  both("logsumexp", [](const auto& x) { return logsumexp(x); });
  both("cumsum", [](const auto& x) { return cumsum(x, 0); });
  both("linear_scan", [](const auto& x) { return linear_scan(x, x, 0); });
  both("matmul", [](const auto& x) { return matmul(x, x); });
  both("index_select", [](const auto& x) { return index_select(x, at); });
  both("index_select", [](const auto& x) { return index_select(x, 1, at); });
  both("gather", [](const auto& x) { return gather(x, 0, at.unsqueeze(0)); });
  both("concat", [](const auto& x) { return concat({x, x}, 0); });
  both("concat", [](const auto& x) { return concat({x}, 0); });
  both("concat", [](const auto& x) { return concat(std::vector{x, x}, 0); });
  both("stack", [](const auto& x) { return stack({x, x}, 0); });
  both("flip", [](const auto& x) { return flip(x, {0}); });
  both("roll", [](const auto& x) { return roll(x, {1}, {0}); });
  both("pad", [](const auto& x) { return pad(x, {{.axis = 0, .after = 1}}); });
  both("tril", [](const auto& x) { return tril(x); });
  both("triu", [](const auto& x) { return triu(x); });
  both("diagonal", [](const auto& x) { return diagonal(x); });
  both("movedim", [](const auto& x) { return movedim(x, 0, 1); });
  both("unfold", [](const auto& x) { return unfold(x, 0, 2, 1); });

  // Mixed lists are Variables.
  static_assert(std::is_same_v<decltype(concat({t, v}, 0)), Variable>);
  static_assert(std::is_same_v<decltype(stack({v, t}, 0)), Variable>);
  static_assert(std::is_same_v<decltype(matmul(t, v)), Variable>);

  // tiled_attention and dropout exist on both too, with other arguments.
  checked.insert({"tiled_attention", "dropout"});
  std::set<std::string> tensors =
      declared("tensor", {"elementwise", "compare", "indexing", "matmul", "rearrange", "reduce", "sort"}, "Tensor");
  std::vector<std::string> headers;
  std::ifstream umbrella(source_dir() + "/autograd/ops.h");
  for (std::string line; std::getline(umbrella, line);)
    if (auto from = line.find("autograd/"); line.rfind("#include", 0) == 0 && from != std::string::npos)
      headers.push_back(line.substr(from + 9, line.find(".h\"") - from - 9));
  REQUIRE(headers.size() > 8);
  for (const std::string& name : declared("autograd", headers, "Variable"))
    if (tensors.count(name)) CHECK_MESSAGE(checked.count(name), name << " exists on both and is not checked here");
}
