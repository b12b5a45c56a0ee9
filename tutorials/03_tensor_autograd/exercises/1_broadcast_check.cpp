// Hints and checks of exercise 03.1.
#include "tutorials/03_tensor_autograd/exercises/1_broadcast.h"

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tutorials/03_tensor_autograd/differences.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(1);
  auto random = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  // L = sum v (a * b), so dL/d(a b) = v and dL/db = undo_broadcast(v * a): compared with differences of L.
  auto try_shapes = [&](const Shape& big, const Shape& small) {
    const Tensor a = random(big), b = random(small), v = random(broadcast_shape("exercise", big, small));
    const Tensor numeric =
        by_differences([&](const Tensor& at) { return sum(mul(v, mul(a, at))).item(); }, b, /*step=*/1e-5);
    e.check("in a " + to_string(big) + " * b " + to_string(small) + ", db", mine::undo_broadcast(mul(v, a), small),
            numeric, 1e-8);
  };
  try_shapes({4, 3}, {4, 3});
  try_shapes({3, 3}, {3});
  try_shapes({4, 3}, {3});
  try_shapes({4, 3}, {4, 1});
  try_shapes({4, 3}, {1, 1});
  try_shapes({4, 3}, {});
  try_shapes({2, 4, 3}, {4, 1});
  try_shapes({2, 1, 3}, {1, 1, 3});
  try_shapes({2, 0, 3}, {3});
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("03", 1, "Undo a broadcast");
  e.hint("Shapes are aligned at the right: axis i of `shape` is axis i + dy.rank() - shape.rank() of dy.");
  e.hint("Sum over axis j of dy if `shape` has no axis there, or if its size there is 1 and dy's is not.");
  e.hint("With keep the sum has as many axes as dy; a reshape to `shape` drops the leading ones.");
  e.hint("An empty list of axes means all of them: return dy where nothing was repeated.");
  e.insight(
      "Where the forward pass repeats a value, the backward pass adds its gradients, and the other way round.\n"
      "This one function serves every operation that broadcasts: biases, masks, scales, positions.",
      "./heed exercise 03 2");
  return e.run(argc, argv, examine);
}
