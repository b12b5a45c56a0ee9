// Reductions against PyTorch's numbers, with their second derivatives.
#include <doctest/doctest.h>

#include <sstream>

#include "autograd/ops.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

Dims axes_of(const Golden& g) {  // "0,2"
  Dims axes;
  std::istringstream list(g.text("dim"));
  for (std::string one; std::getline(list, one, ',');) axes.push_back(std::stoll(one));
  return axes;
}

using Function = Variable (*)(const Golden&, const Variable&);

void check_second_order(const std::string& name, Function f) {
  in_both_precisions(name, [&](Golden& g, DType) {
    Variable x = g.leaf("x");
    g.check_second_order("y", f(g, x), {{"x", x}});
  });
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("var, std, logsumexp, norm, amax and amin over one axis, two and all, to the second derivative") {
    for (std::string axes : {"all", "middle", "outer"}) {
      for (std::string name : {"var_", "var_biased_"})
        check_second_order(name + axes, [](const Golden& g, const Variable& x) {
          return var(x, axes_of(g), {.unbiased = g.flag("unbiased")});
        });
      for (std::string name : {"std_", "std_biased_"})
        check_second_order(name + axes, [](const Golden& g, const Variable& x) {
          return stddev(x, axes_of(g), {.unbiased = g.flag("unbiased")});
        });
      check_second_order("logsumexp_" + axes,
                         [](const Golden& g, const Variable& x) { return logsumexp(x, axes_of(g)); });
      check_second_order("amax_" + axes, [](const Golden& g, const Variable& x) { return amax(x, axes_of(g)); });
      check_second_order("amin_" + axes, [](const Golden& g, const Variable& x) { return amin(x, axes_of(g)); });
      check_second_order("norm_2_" + axes,
                         [](const Golden& g, const Variable& x) { return norm(x, g.number("ord"), axes_of(g)); });
    }
    for (std::string p : {"1", "3", "inf"})
      check_second_order("norm_" + p + "_middle",
                         [](const Golden& g, const Variable& x) { return norm(x, g.number("ord"), axes_of(g)); });
  }

  TEST_CASE("the norm of a zero row, and products with zeros") {
    in_both_precisions("norm_2_zero_row", [](Golden& g, DType) {
      Variable x = g.leaf("x");
      g.check({{"y", norm(x, g.number("ord"), axes_of(g))}}, {{"x", x}});
    });
    in_both_precisions("prod_zeros", [](Golden& g, DType) {
      Variable x = g.leaf("x");
      g.check({{"y", prod(x, axes_of(g))}}, {{"x", x}});
    });
  }

  TEST_CASE("prod and cumsum, to the second derivative") {
    check_second_order("prod_all", [](const Golden&, const Variable& x) { return prod(x); });
    for (std::string dim : {"0", "1"}) {
      check_second_order("prod_dim" + dim, [](const Golden& g, const Variable& x) { return prod(x, axes_of(g)); });
      check_second_order("cumsum_dim" + dim,
                         [](const Golden& g, const Variable& x) { return cumsum(x, g.integer("dim")); });
    }
  }
}
