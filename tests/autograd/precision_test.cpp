// Gradients of products in bf16: the same formulas, with products in the precision of the backward pass.
#include <doctest/doctest.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/matmul.h"

using namespace heed;

namespace {

Tensor rounded(const Tensor& a, const Tensor& b) {  // the product in bf16
  PrecisionScope scope(Precision::bf16);
  return matmul(a, b);
}

}  // namespace

TEST_CASE("bf16: the gradients of a product are products in bf16") {
  Generator rng(1);
  Tensor x = Tensor::normal({5, 7}, rng), y = Tensor::normal({7, 4}, rng), dc = Tensor::normal({5, 4}, rng);
  Variable a(x, Variable::kRequiresGrad), b(y, Variable::kRequiresGrad), w(y.transpose(0, 1), Variable::kRequiresGrad);
  {
    PrecisionScope scope(Precision::bf16);
    Variable c = matmul(a, b);
    CHECK(bit_equal(c.value(), rounded(x, y)));
    backward(sum(c * dc));
  }
  CHECK(bit_equal(a.grad(), rounded(dc, y.transpose(0, 1))));
  CHECK(bit_equal(b.grad(), rounded(x.transpose(0, 1), dc)));
  CHECK_FALSE(bit_equal(a.grad(), matmul(dc, y.transpose(0, 1))));
  CHECK(a.grad().dtype() == DType::f32);

  a.zero_grad();
  {
    PrecisionScope scope(Precision::bf16);
    backward(sum(linear(a, w, {}) * dc));
  }
  CHECK(bit_equal(a.grad(), rounded(dc, y.transpose(0, 1))));
  CHECK(bit_equal(w.grad(), rounded(dc.transpose(0, 1), x)));
}

TEST_CASE("bf16: a backward pass outside the scope computes in f32") {
  Generator rng(2);
  Tensor x = Tensor::normal({5, 7}, rng), y = Tensor::normal({7, 4}, rng), dc = Tensor::normal({5, 4}, rng);
  Variable a(x, Variable::kRequiresGrad), c;
  {
    PrecisionScope scope(Precision::bf16);
    c = matmul(a, Variable(y));
  }
  backward(sum(c * dc));
  CHECK(bit_equal(c.value(), rounded(x, y)));
  CHECK(bit_equal(a.grad(), matmul(dc, y.transpose(0, 1))));
}
