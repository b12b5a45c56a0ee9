// Hints, common mistakes and checks of exercise 01.2.
#include "tutorials/01_tensors/exercises/2_broadcasting.h"

#include <algorithm>
#include <stdexcept>

#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Sizes;

struct Answer {
  decltype(&mine::result_shape) shape;
  decltype(&mine::source) source;
};

int64_t from_right(const Sizes& sizes, size_t i) { return i <= sizes.size() ? sizes[sizes.size() - i] : 1; }
bool fit(int64_t a, int64_t b) { return a == b || a == 1 || b == 1; }
[[noreturn]] void refuse() { throw std::invalid_argument("sizes must be equal, or one of them 1"); }

Sizes right_shape(const Sizes& a, const Sizes& b) {
  Sizes shape(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= shape.size(); ++i) {
    const int64_t in_a = from_right(a, i), in_b = from_right(b, i);
    if (!fit(in_a, in_b)) refuse();
    shape[shape.size() - i] = in_a == 1 ? in_b : in_a;
  }
  return shape;
}

// The right source with one part exchanged: what is added for an axis, what n is divided by, what the stride grows by.
struct Parts {
  bool reads_size_1 = false, divides = true, divides_by_own = false, stride_of_result = false, grows = true;
};
template <Parts parts>
int64_t source(int64_t n, const Sizes& shape, const Sizes& from) {
  int64_t element = 0, stride = 1;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from_right(shape, i), own = from_right(from, i);
    if (own != 1 || parts.reads_size_1) element += n % size * stride;
    if (parts.divides) n /= parts.divides_by_own ? own : size;
    if (parts.grows) stride *= parts.stride_of_result ? size : own;
  }
  return element;
}
const auto right_source = source<Parts{}>;

const std::vector<app::Mistake<Answer>> mistakes{
    {"result_shape is still open: it returns the shape of a",
     {[](const Sizes& a, const Sizes&) { return a; }, right_source}},
    {"result_shape aligns the shapes at the left: compare the last axes first, and go to the left from there",
     {[](const Sizes& a, const Sizes& b) {
        Sizes shape = a.size() >= b.size() ? a : b;
        for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
          if (!fit(a[i], b[i])) refuse();
          shape[i] = a[i] == 1 ? b[i] : a[i];
        }
        return shape;
      },
      right_source}},
    {"result_shape has as many axes as a: it needs as many as the longer of the two shapes",
     {[](const Sizes& a, const Sizes& b) {
        Sizes shape = right_shape(a, b);
        if (shape.size() > a.size()) shape.erase(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(a.size()));
        return shape;
      },
      right_source}},
    {"result_shape accepts every pair of shapes: throw std::invalid_argument where two sizes differ and neither is 1",
     {[](const Sizes& a, const Sizes& b) {
        Sizes shape(std::max(a.size(), b.size()));
        for (size_t i = 1; i <= shape.size(); ++i)
          shape[shape.size() - i] = std::max(from_right(a, i), from_right(b, i));
        return shape;
      },
      right_source}},
    {"result_shape refuses sizes that differ although one of them is 1: the tensor with size 1 is repeated there",
     {[](const Sizes& a, const Sizes& b) {
        for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i)
          if (from_right(a, i) != from_right(b, i)) refuse();
        return right_shape(a, b);
      },
      right_source}},
    {"source is still open: it returns n", {right_shape, [](int64_t n, const Sizes&, const Sizes&) { return n; }}},
    {"source moves along an axis of size 1: its only index is 0, so add nothing for it",
     {right_shape, source<Parts{.reads_size_1 = true}>}},
    {"source reads every index from the same n: divide n by the size of each axis before the next one",
     {right_shape, source<Parts{.divides = false}>}},
    {"source divides n by the sizes of `from`, or takes n modulo their product: n numbers the elements of the result, "
     "so "
     "divide by the sizes of the result",
     {right_shape, source<Parts{.divides_by_own = true}>}},
    {"source uses the strides of the result: the strides inside `from` are products of its own sizes",
     {right_shape, source<Parts{.stride_of_result = true}>}},
    {"source adds the indices without strides: multiply each index by the product of the sizes of `from` to its right",
     {right_shape, source<Parts{.grows = false}>}},
};

void examine(app::Exercise& e, const Answer& answer) {
  auto shape_text = [&](const Sizes& a, const Sizes& b) -> std::string {
    try {
      return to_string(Dims(answer.shape(a, b)));
    } catch (const std::invalid_argument&) { return "std::invalid_argument"; }
  };
  const std::vector<std::pair<Sizes, Sizes>> pairs{{{3, 4}, {3, 4}},    {{3, 1}, {1, 4}}, {{2, 3, 4}, {4}},
                                                   {{2, 1, 4}, {5, 1}}, {{1}, {2, 2}},    {{2, 3, 1, 2}, {3, 4, 1}}};
  auto name = [](const Sizes& a, const Sizes& b) { return to_string(Dims(a)) + " + " + to_string(Dims(b)); };
  bool right = true;
  for (const auto& [a, b] : pairs)
    right =
        e.check("shape of " + name(a, b), shape_text(a, b), to_string(broadcast_shape("exercise", Dims(a), Dims(b)))) &&
        right;
  for (const auto& [a, b] : {std::pair<Sizes, Sizes>{{3}, {4}}, {{2, 3}, {3, 2}}})
    right = e.check("what result_shape makes of " + name(a, b), shape_text(a, b), "std::invalid_argument") && right;
  if (!right) return;  // source is checked once the shapes are right
  for (const auto& [a, b] : pairs) {
    const Tensor c = Tensor::empty(broadcast_shape("exercise", Dims(a), Dims(b)));
    const Sizes shape(c.shape().begin(), c.shape().end());
    for (const Sizes& from : {a, b}) {
      int64_t count = 1;
      for (const int64_t size : from) count *= size;
      const Tensor numbers = Tensor::arange(count).view(Dims(from));  // each element is its own number
      std::vector<double> yours;
      for (int64_t n = 0; n < c.count(); ++n) yours.push_back(static_cast<double>(answer.source(n, shape, from)));
      e.check("in " + name(a, b) + ", the source in " + to_string(Dims(from)) + " of element ", yours,
              numbers.expand(c.shape()).contiguous().to_vector(), 0);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("01", 2, "Broadcasting by index arithmetic");
  e.hint("result_shape: a missing axis counts as size 1. The result has the size of the other tensor where one is 1.");
  e.hint(
      "source: go through the axes from the right. The index is n % size, and then n /= size, with the result's "
      "sizes.");
  e.hint("Keep a stride for `from`: it starts at 1 and is multiplied by each size of `from`.");
  e.hint("Where `from` has size 1 the index is 0. Where it has no axis left, stop.");
  e.insight(
      "Broadcasting copies nothing: a repeated axis is read with index 0, like an axis with stride 0.\n"
      "Alignment at the right is why a bias [D] may be added to activations [B, T, D] without a reshape.",
      "./heed exercise 01 3");
  const Answer yours{mine::result_shape, mine::source};
  return e.run(argc, argv, yours, examine, mistakes);
}
