// Exercise 03.2: the gradients of a matrix product.
//
//   C = A B       A [M, K], B [K, N], C [M, N]       C_mn = sum_k A_mk B_kn
//
// dC is dL/dC, the gradient that arrives. Derive dL/dA and dL/dB and write them with matmul and transpose; both must
// have the shape of their matrix. Then the batched case, which every layer meets: A [batch, M, K] with one B [K, N] for
// all of the batch. Its C is [batch, M, N], and B has acted in each of them.
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tutorials/03_tensor_autograd/differences.h"
#include "tutorials/common/exercise.h"

using namespace heed;

struct Gradients {
  Tensor da, db;
};

// a [.., M, K], b [K, N], dc [.., M, N]; the two dots are nothing or a batch.
Gradients matmul_gradients(const Tensor& a, const Tensor& b, [[maybe_unused]] const Tensor& dc) {
  Gradients g{Tensor::zeros(a.shape(), a.dtype()), Tensor::zeros(b.shape(), b.dtype())};
  // --- the gap: g.da = ...; g.db = ...; with matmul(x, y), x.transpose(-1, -2) and sum(x, {axis}) ---

  // --- end of the gap ---
  return g;
}

int main(int argc, char** argv) {
  app::Exercise e("03", 2, "The gradients of a matrix product");
  e.hint("A_mk acts on row m of C only: dL/dA_mk = sum_n dC_mn dC_mn/dA_mk, and dC_mn/dA_mk = B_kn.");
  e.hint("sum_n dC_mn B_kn is a matrix product whose second factor is read along its rows. Which shapes fit [M, K]?");
  e.hint("In a batch B is the same in every product. A value that is used several times adds its gradients.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    auto random = [&](const Shape& shape) { return Tensor::uniform(shape, rng, -1, 1, DType::f64); };
    auto try_shapes = [&](const Shape& as, const Shape& bs) {
      Tensor a = random(as), b = random(bs), dc = random(matmul(a, b).shape());
      auto loss = [&](const Tensor& x, const Tensor& y) { return sum(mul(dc, matmul(x, y))).item(); };
      Gradients g = matmul_gradients(a, b, dc);
      std::string where = "with A " + to_string(as) + " and B " + to_string(bs) + ", ";
      e.check(where + "dA", g.da, by_differences([&](const Tensor& at) { return loss(at, b); }, a, /*step=*/1e-5),
              1e-8);
      e.check(where + "dB", g.db, by_differences([&](const Tensor& at) { return loss(a, at); }, b, /*step=*/1e-5),
              1e-8);
    };
    try_shapes({2, 3}, {3, 4});
    try_shapes({3, 3}, {3, 3});
    try_shapes({1, 3}, {3, 1});
    try_shapes({5, 2, 3}, {3, 4});
  });
}
