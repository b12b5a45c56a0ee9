// Hints and checks of exercise 03.2.
#include "tutorials/03_tensor_autograd/exercises/2_matmul.h"

#include <string>

#include "tensor/elementwise.h"
#include "tutorials/03_tensor_autograd/differences.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Gradients;

void examine(app::Exercise& e) {
  Generator rng(1);
  auto random = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  auto try_shapes = [&](const Shape& as, const Shape& bs) {
    const Tensor a = random(as), b = random(bs), dc = random(matmul(a, b).shape());
    auto loss = [&](const Tensor& x, const Tensor& y) { return sum(mul(dc, matmul(x, y))).item(); };
    const Gradients g = mine::matmul_gradients(a, b, dc);
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
  return e.run(argc, argv, examine);
}
