// Hints, common mistakes and checks of exercise 03.1.
#include "tutorials/03_tensor_autograd/exercises/1_broadcast.h"

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tutorials/03_tensor_autograd/differences.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// The axes of dy that a value of this shape was repeated along; missing: those it lacks, single: those of size 1.
Dims repeated_axes(const Tensor& dy, const Shape& shape, bool missing = true, bool single = true) {
  Dims axes;
  const int more = dy.rank() - shape.rank();
  for (int j = 0; j < dy.rank(); ++j)
    if (j < more ? missing : single && shape[j - more] == 1 && dy.size(j) != 1) axes.push_back(j);
  return axes;
}
Tensor summed(const Tensor& dy, const Dims& axes, bool keep = true) {
  return axes.rank() == 0 ? dy : sum(dy, axes, keep);
}

using T = const Tensor&;
using S = const Shape&;
const std::vector<app::Mistake<decltype(&mine::undo_broadcast)>> mistakes{
    {"The gap is still open: dy is returned as it is", [](T dy, S) { return dy; }},
    {"You took the mean: the repeated value occurs in every one of these elements, so their gradients are added",
     [](T dy, S shape) {
       const Tensor added = summed(dy, repeated_axes(dy, shape)).reshape(shape);
       return added.count() == 0 ? added
                                 : mul(added, static_cast<double>(added.count()) / static_cast<double>(dy.count()));
     }},
    {"You took one of the repeated elements: the value acted in all of them, so add their gradients",
     [](T dy, S shape) {
       Tensor first = dy;
       const Dims axes = repeated_axes(dy, shape);
       for (int64_t axis : axes)
         if (first.size(static_cast<int>(axis)) > 0) first = first.slice(static_cast<int>(axis), 0, 1);
       return first.count() == Tensor::zeros(shape).count() ? first.reshape(shape) : Tensor::zeros(shape, dy.dtype());
     }},
    {"You sum over the missing axes only: an axis of size 1 was repeated as well",
     [](T dy, S shape) { return summed(dy, repeated_axes(dy, shape, true, false), /*keep=*/false); }},
    {"You sum over the axes of size 1 only: an axis that the shape does not have was repeated as well",
     [](T dy, S shape) { return summed(dy, repeated_axes(dy, shape, false, true)); }},
    {"The sums are right and the shape is not: the axes that were missing are still there, with size 1. Reshape",
     [](T dy, S shape) { return summed(dy, repeated_axes(dy, shape)); }},
    {"The sums are right and the shape is not: axes of size 1 have vanished. Keep them, or reshape to the given shape",
     [](T dy, S shape) { return summed(dy, repeated_axes(dy, shape), /*keep=*/false); }},
    {"The shapes are aligned at the left: the last axis of `shape` belongs to the last axis of dy",
     [](T dy, S shape) {
       Dims axes;
       for (int j = 0; j < dy.rank(); ++j)
         if (j >= shape.rank() || (shape[j] == 1 && dy.size(j) != 1)) axes.push_back(j);
       return summed(dy, axes).reshape(shape);
     }},
    {"Where nothing was repeated you sum over everything: sum(x, {}) adds over all axes, so return dy itself",
     [](T dy, S shape) {
       const Dims axes = repeated_axes(dy, shape);
       return axes.rank() == 0 ? sum(dy) : sum(dy, axes, true).reshape(shape);
     }},
};

void examine(app::Exercise& e, const decltype(&mine::undo_broadcast)& undo_broadcast) {
  Generator rng(1);
  auto random = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  // L = sum v (a * b), so dL/d(a b) = v and dL/db = undo_broadcast(v * a): compared with differences of L.
  auto try_shapes = [&](const Shape& big, const Shape& small) {
    const Tensor a = random(big), b = random(small), v = random(broadcast_shape("exercise", big, small));
    const Tensor numeric =
        by_differences([&](const Tensor& at) { return sum(mul(v, mul(a, at))).item(); }, b, /*step=*/1e-5);
    e.check("in a " + to_string(big) + " * b " + to_string(small) + ", db", undo_broadcast(mul(v, a), small), numeric,
            1e-8);
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
  return e.run(argc, argv, mine::undo_broadcast, examine, mistakes);
}
