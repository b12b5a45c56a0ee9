// All pairs of shapes to rank 4 over the sizes 0, 1, 2: gradients have the shapes of their values, and the right sums.
#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes = {{}};
  for (size_t i = 0; i < shapes.size(); ++i)
    for (int64_t size : {0, 1, 2})
      if (shapes[i].rank() < 4) {
        Shape longer = shapes[i];
        longer.push_back(size);
        shapes.push_back(longer);
      }
  return shapes;
}

bool fit_together(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    int64_t p = a[a.rank() - i], q = b[b.rank() - i];
    if (p != q && p != 1 && q != 1) return false;
  }
  return true;
}

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "broadcast: gradients of all pairs of shapes to rank 4") {
  std::vector<Shape> shapes = all_shapes();
  REQUIRE(shapes.size() == 121);
  int fitting = 0, wrong = 0, accepted = 0;
  for (const Shape& p : shapes)
    for (const Shape& q : shapes) {
      Variable a(Tensor::full(p, 2, DType::f64), Variable::kRequiresGrad);
      Variable b(Tensor::full(q, 3, DType::f64), Variable::kRequiresGrad);
      if (!fit_together(p, q)) {
        accepted += error_of([&] { a* b; }).rfind("mul: ", 0) != 0;
        continue;
      }
      ++fitting;
      Variable y = a * b;
      backward(sum(y));
      bool right = a.grad().shape() == p && b.grad().shape() == q;
      // Every element of a was used y.count / a.count times, each time with a factor 3.
      if (a.count())
        right = right && a.grad().to_vector() ==
                             Doubles(static_cast<size_t>(a.count()), 3.0 * static_cast<double>(y.count() / a.count()));
      if (b.count())
        right = right && b.grad().to_vector() ==
                             Doubles(static_cast<size_t>(b.count()), 2.0 * static_cast<double>(y.count() / b.count()));
      wrong += !right;
    }
  CHECK(fitting > 3000);
  CHECK(wrong == 0);
  CHECK(accepted == 0);
}
