// Functions of tensors against PyTorch's numbers, with their second derivatives. PyTorch's gather and scatter_add take
// any axis and an index narrower than x; ours take the last axis, and views do the rest.
#include <doctest/doctest.h>

#include "autograd/ops.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

// y[i, j] = x[index[i, j], j]         x [R, C], index [M, c <= C] -> [M, c]
Variable gather_rows(const Variable& x, const Tensor& index) {
  Variable columns = slice(x, 1, 0, index.size(1));
  return transpose(gather(transpose(columns, 0, 1), index.transpose(0, 1)), 0, 1);
}

// y = x;  y[index[i, j], j] += src[i, j]         x [R, C], index and src [M, c <= C] -> [R, C]
Variable scatter_add_rows(const Variable& x, const Tensor& index, const Variable& src) {
  Variable columns = transpose(scatter_add(transpose(src, 0, 1), index.transpose(0, 1), x.size(0)), 0, 1);  // [R, c]
  return x + place(columns, 1, 0, 1, x.size(1));
}

}  // namespace

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
        Variable y = g.integer("dim") == 0 ? gather_rows(x, index) : gather(x, index);
        g.check_second_order("y", y, {{"x", x}});
      });
  }

  TEST_CASE("scatter_add, to the second derivative") {
    for (std::string name : {"scatter_add_dim0", "scatter_add_dim1", "scatter_add_smaller"})
      in_both_precisions(name, [](Golden& g, DType) {
        Variable x = g.leaf("x"), src = g.leaf("src");
        Tensor index = g.ids("index");
        Variable y = g.integer("dim") == 0 ? scatter_add_rows(x, index, src) : x + scatter_add(src, index, x.size(1));
        g.check_second_order("y", y, {{"x", x}, {"src", src}});
      });
  }
}
