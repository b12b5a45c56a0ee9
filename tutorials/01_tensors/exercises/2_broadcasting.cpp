#include "tutorials/01_tensors/exercises/2_broadcasting.h"

#include <algorithm>
#include <stdexcept>

namespace mine {

// | // The gap is right only where both shapes are the same.
// ---- the gap ----
// | Sizes result_shape(const Sizes& a, const Sizes& b) { return a; }
// |
// | int64_t source(int64_t n, const Sizes& shape, const Sizes& from) { return n; }
// ---- filled ----
Sizes result_shape(const Sizes& a, const Sizes& b) {
  Sizes shape(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= shape.size(); ++i) {  // axis i from the right
    const int64_t in_a = i <= a.size() ? a[a.size() - i] : 1, in_b = i <= b.size() ? b[b.size() - i] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1)
      throw std::invalid_argument("broadcast: sizes must be equal, or one of them 1");
    shape[shape.size() - i] = in_a == 1 ? in_b : in_a;
  }
  return shape;
}

int64_t source(int64_t n, const Sizes& shape, const Sizes& from) {
  int64_t element = 0, stride = 1;
  for (size_t i = 1; i <= from.size(); ++i) {  // axis i from the right
    const int64_t size = shape[shape.size() - i], own = from[from.size() - i];
    if (own != 1) element += n % size * stride;
    n /= size, stride *= own;
  }
  return element;
}
// ---- end of the gap ----

}  // namespace mine
