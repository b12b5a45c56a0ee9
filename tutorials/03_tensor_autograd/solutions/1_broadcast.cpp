// Solution of exercise 03.1: undo a broadcast.
//
// y = a * b with a [4, 3] and b [3]: b was repeated down the rows, so each number of b stands in four elements of y,
// and its gradient is the sum of what comes back from the four. The same holds for any axes that were missing or of
// size 1:
//
//   dy [2, 4, 3]  ->  gradient of [3]: sum over axes 0 and 1          gradient of [4, 1]: sum over axes 0 and 2, keep 2
//
// sum(x, axes, keep) of tensor/reduce.h adds over axes; with keep they stay with size 1. x.reshape(shape) gives the
// elements another shape. x.rank(), x.size(i), shape.rank() and shape[i] tell sizes; axes is built with push_back.
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/03_tensor_autograd/differences.h"
#include "tutorials/common/exercise.h"

using namespace heed;

// dy was made by an operation that broadcast a value of the given shape. The gradient of that value has its shape.
Tensor undo_broadcast(const Tensor& dy, const Shape& shape) {
  Dims repeated;
  int missing = dy.rank() - shape.rank();
  for (int j = 0; j < dy.rank(); ++j)
    if (j < missing || (shape[j - missing] == 1 && dy.size(j) != 1)) repeated.push_back(j);
  if (repeated.rank() == 0) return dy;  // no axes would mean all of them
  return sum(dy, repeated, /*keep=*/true).reshape(shape);
}

int main(int argc, char** argv) {
  app::Exercise e("03", 1, "Undo a broadcast");
  e.hint("Shapes are aligned at the right: axis i of `shape` is axis i + dy.rank() - shape.rank() of dy.");
  e.hint("Sum over axis j of dy if shape has no axis there, or if its size there is 1 and dy's is not.");
  e.hint(
      "With keep the sum has dy's rank; a reshape to `shape` drops the leading ones. No axes given means all of them.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    auto random = [&](const Shape& shape) { return Tensor::uniform(shape, rng, 0.5, 1.5, DType::f64); };
    // L = sum v (a * b), so dL/d(a b) = v and dL/db = undo_broadcast(v * a): compared with differences of L.
    auto try_shapes = [&](const Shape& big, const Shape& small) {
      Tensor a = random(big), b = random(small), v = random(broadcast_shape("exercise", big, small));
      Tensor numeric =
          by_differences([&](const Tensor& at) { return sum(mul(v, mul(a, at))).item(); }, b, /*step=*/1e-5);
      e.check("in a " + to_string(big) + " * b " + to_string(small) + ", db", undo_broadcast(mul(v, a), small), numeric,
              1e-8);
    };
    try_shapes({4, 3}, {4, 3});
    try_shapes({4, 3}, {3});
    try_shapes({4, 3}, {4, 1});
    try_shapes({4, 3}, {1, 1});
    try_shapes({4, 3}, {});
    try_shapes({2, 4, 3}, {4, 1});
    try_shapes({2, 1, 3}, {1, 1, 3});
    try_shapes({2, 0, 3}, {3});
  });
}
