// Hints and checks of exercise 01.2.
#include "tutorials/01_tensors/exercises/2_broadcasting.h"

#include <stdexcept>

#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Sizes;

void examine(app::Exercise& e) {
  auto shape_text = [&](const Sizes& a, const Sizes& b) -> std::string {
    try {
      return to_string(Dims(mine::result_shape(a, b)));
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
      for (int64_t n = 0; n < c.count(); ++n) yours.push_back(static_cast<double>(mine::source(n, shape, from)));
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
  return e.run(argc, argv, examine);
}
