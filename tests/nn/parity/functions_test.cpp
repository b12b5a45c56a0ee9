// Functions of tensors against PyTorch's numbers, with their second derivatives.
#include <doctest/doctest.h>

#include "autograd/ops.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("tanh, sigmoid and relu, to the second derivative") {
    for (std::string name : {"tanh", "sigmoid", "relu"})
      in_both_precisions(name, [&](Golden& g, DType) {
        Variable x = g.leaf("x");
        Variable y = name == "tanh" ? tanh(x) : name == "sigmoid" ? sigmoid(x) : relu(x);
        g.check_second_order("y", y, {{"x", x}});
      });
  }

  TEST_CASE("gather, to the second derivative") {
    for (std::string name : {"gather_dim0", "gather_dim1", "gather_smaller"})
      in_both_precisions(name, [](Golden& g, DType) {
        Variable x = g.leaf("x");
        Tensor index = g.ids("index");
        g.check_second_order("y", gather(x, g.integer("dim"), index), {{"x", x}});
      });
  }

  TEST_CASE("scatter_add, to the second derivative") {
    for (std::string name : {"scatter_add_dim0", "scatter_add_dim1", "scatter_add_smaller"})
      in_both_precisions(name, [](Golden& g, DType) {
        Variable x = g.leaf("x"), src = g.leaf("src");
        Tensor index = g.ids("index");
        g.check_second_order("y", scatter_add(x, g.integer("dim"), index, src), {{"x", x}, {"src", src}});
      });
  }
}
