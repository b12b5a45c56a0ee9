// Exercise 01.2: broadcasting by index arithmetic.
//
//   c [...] = a [...] + b [...]        axes aligned at the right; sizes equal, or one of them 1, or the axis missing
//
// All three are contiguous: plain arrays in row-major order. Element n of c has an index (.., i, j); the index of the
// element of a is the same one with 0 on every axis where a has size 1, and without the axes that a lacks.
//
// result_shape gives the shape of c and throws std::invalid_argument where the sizes do not fit; source tells which
// element of an array of shape `from` is read for element n of c.
#include <stdexcept>
#include <vector>

#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

using namespace heed;

using Sizes = std::vector<int64_t>;

// --- the gap: right only where both shapes are the same ---
Sizes result_shape(const Sizes& a, [[maybe_unused]] const Sizes& b) { return a; }
int64_t source(int64_t n, [[maybe_unused]] const Sizes& shape, [[maybe_unused]] const Sizes& from) { return n; }
// --- end of the gap ---

int main(int argc, char** argv) {
  app::Exercise e("01", 2, "Broadcasting by index arithmetic");
  e.hint("Go through the axes from the right: index = n % size, then n /= size, of c's sizes.");
  e.hint("Keep a stride for `from` beside it: it starts at 1 and is multiplied by each size of `from`.");
  e.hint("Where `from` has size 1 its index is 0; where it has no axis left, stop.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    for (const auto& [a, b] : {std::pair<Sizes, Sizes>{{3, 4}, {3, 4}},
                               {{3, 1}, {1, 4}},
                               {{2, 3, 4}, {4}},
                               {{2, 1, 4}, {5, 1}},
                               {{1}, {2, 2}},
                               {{2, 3, 1, 2}, {3, 4, 1}}}) {
      Tensor x = Tensor::normal(Dims(a), rng, 0, 1, DType::f64), y = Tensor::normal(Dims(b), rng, 0, 1, DType::f64);
      Tensor sum = add(x, y);
      std::string what = to_string(Dims(a)) + " + " + to_string(Dims(b));
      Sizes shape = result_shape(a, b);
      if (!e.check("shape of " + what, to_string(Dims(shape)), to_string(sum.shape()))) continue;
      std::vector<double> from_x = x.to_vector(), from_y = y.to_vector(), c;
      for (int64_t n = 0; n < sum.count(); ++n) {
        int64_t i = source(n, shape, a), j = source(n, shape, b);
        bool inside = i >= 0 && i < x.count() && j >= 0 && j < y.count();
        c.push_back(inside ? from_x[static_cast<size_t>(i)] + from_y[static_cast<size_t>(j)] : 1e9);
      }
      e.check(what, c, sum.to_vector(), 0);
    }
    for (const auto& [a, b] : {std::pair<Sizes, Sizes>{{3}, {4}}, {{2, 3}, {3, 2}}}) {
      std::string said = "nothing";
      try {
        result_shape(a, b);
      } catch (const std::invalid_argument&) { said = "std::invalid_argument"; }
      e.check("what " + to_string(Dims(a)) + " + " + to_string(Dims(b)) + " throws", said, "std::invalid_argument");
    }
  });
}
