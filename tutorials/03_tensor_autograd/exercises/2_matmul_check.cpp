// Hints, common mistakes and checks of exercise 03.2.
#include "tutorials/03_tensor_autograd/exercises/2_matmul.h"

#include <string>

#include "tensor/elementwise.h"
#include "tutorials/03_tensor_autograd/differences.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Gradients;

Tensor transposed(const Tensor& x) { return x.transpose(-1, -2); }
Tensor right_da(const Tensor& b, const Tensor& dc) { return matmul(dc, transposed(b)); }
Tensor unsummed_db(const Tensor& a, const Tensor& dc) { return matmul(transposed(a), dc); }
Tensor over_batch(const Tensor& db) { return db.rank() > 2 ? sum(db, {0}) : db; }
Tensor right_db(const Tensor& a, const Tensor& dc) { return over_batch(unsummed_db(a, dc)); }

using T = const Tensor&;
const std::vector<app::Mistake<decltype(&mine::matmul_gradients)>> mistakes{
    {"The gap is still open: both gradients are zero",
     [](T a, T b, T) {
       return Gradients{Tensor::zeros(a.shape(), a.dtype()), Tensor::zeros(b.shape(), b.dtype())};
     }},
    {"dA is right; dB is still zero",
     [](T, T b, T dc) {
       return Gradients{right_da(b, dc), Tensor::zeros(b.shape(), b.dtype())};
     }},
    {"dB is right; dA is still zero",
     [](T a, T, T dc) {
       return Gradients{Tensor::zeros(a.shape(), a.dtype()), right_db(a, dc)};
     }},
    {"dA is a product with B itself: dA_mk = sum_n dC_mn B_kn runs along the rows of B, so B must be transposed",
     [](T a, T b, T dc) {
       return Gradients{matmul(dc, b), right_db(a, dc)};
     }},
    {"dB is a product with A itself: dB_kn = sum_m A_mk dC_mn runs down the columns of A, so A must be transposed",
     [](T a, T b, T dc) {
       return Gradients{right_da(b, dc), over_batch(matmul(a, dc))};
     }},
    {"Neither A nor B is transposed: only square matrices hide that the shapes do not fit",
     [](T a, T b, T dc) {
       return Gradients{matmul(dc, b), over_batch(matmul(a, dc))};
     }},
    {"In dA the factors are in the wrong order: dA = dC B^T. Rows of dC belong to rows of A",
     [](T a, T b, T dc) {
       return Gradients{matmul(transposed(b), dc), right_db(a, dc)};
     }},
    {"In dB the factors are in the wrong order: dB = A^T dC. Columns of dC belong to columns of B",
     [](T a, T b, T dc) {
       return Gradients{right_da(b, dc), over_batch(matmul(dc, transposed(a)))};
     }},
    {"dC is transposed as well in dB: that is the gradient of B^T. Use A^T dC, whose shape is [K, N] as that of B",
     [](T a, T b, T dc) {
       return Gradients{right_da(b, dc), over_batch(matmul(transposed(dc), a))};
     }},
    {"The two gradients are exchanged: dA = dC B^T and dB = A^T dC",
     [](T a, T b, T dc) {
       return Gradients{right_db(a, dc), right_da(b, dc)};
     }},
    {"In a batch dB has one matrix per example: B is the same in all of them, so add over the batch",
     [](T a, T b, T dc) {
       return Gradients{right_da(b, dc), unsummed_db(a, dc)};
     }},
    {"In a batch dB is the mean: a value that is used several times adds its gradients, so take the sum",
     [](T a, T b, T dc) {
       Tensor db = right_db(a, dc);
       return Gradients{right_da(b, dc), dc.rank() > 2 ? div(db, static_cast<double>(dc.size(0))) : db};
     }},
    {"In a batch you sum dB over the wrong axis: the batch is axis 0 of [batch, K, N]",
     [](T a, T b, T dc) {
       Tensor db = unsummed_db(a, dc);
       return Gradients{right_da(b, dc), db.rank() > 2 ? sum(db, {1}) : db};
     }},
    {"In a batch dA is added over the batch: each example has its own A, so dA is [batch, M, K]; only dB is added",
     [](T a, T b, T dc) {
       return Gradients{over_batch(right_da(b, dc)), right_db(a, dc)};
     }},
};

void examine(app::Exercise& e, const decltype(&mine::matmul_gradients)& gradients) {
  Generator rng(1);
  auto random = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  auto try_shapes = [&](const Shape& as, const Shape& bs) {
    const Tensor a = random(as), b = random(bs), dc = random(matmul(a, b).shape());
    auto loss = [&](const Tensor& x, const Tensor& y) { return sum(mul(dc, matmul(x, y))).item(); };
    const Gradients g = gradients(a, b, dc);
    const std::string where = "with A " + to_string(as) + " and B " + to_string(bs) + ", ";
    e.check(where + "dA", g.da, by_differences([&](const Tensor& at) { return loss(at, b); }, a, /*step=*/1e-5), 1e-8);
    e.check(where + "dB", g.db, by_differences([&](const Tensor& at) { return loss(a, at); }, b, /*step=*/1e-5), 1e-8);
  };
  try_shapes({3, 3}, {3, 3});  // square first: a wrong transpose gives numbers here, and an error below
  try_shapes({2, 3}, {3, 4});
  try_shapes({1, 3}, {3, 1});
  try_shapes({5, 2, 3}, {3, 4});
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("03", 2, "The gradients of a matrix product");
  e.hint("A_mk acts on row m of C only: dL/dA_mk = sum_n dC_mn dC_mn/dA_mk, and dC_mn/dA_mk = B_kn.");
  e.hint("sum_n dC_mn B_kn is a matrix product whose second factor is read along its rows. Which shapes give [M, K]?");
  e.hint("B_kn acts on column n of C only: dL/dB_kn = sum_m A_mk dC_mn. Which shapes give [K, N]?");
  e.hint("In a batch B is the same in every product. A value that is used several times adds its gradients.");
  e.insight(
      "Backward through a matrix product is two matrix products of the same size, so a training step costs about\n"
      "three times as much as a forward pass. Only one order of the factors fits the shapes, unless they are square.",
      "./heed exercise 03 3");
  return e.run(argc, argv, mine::matmul_gradients, examine, mistakes);
}
