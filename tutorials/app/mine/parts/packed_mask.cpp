// Exercise 27.3 in a GPT: which letter of a row with several texts may attend to which.
#include "nn/transformer/packing.h"
#include "tutorials/27_decoder/exercises/3_mask.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

void check(Comparison& c) {
  const std::vector<int64_t> segments{1, 1, 1, 2, 3, 3, 0};
  const auto T = std::ssize(segments);
  const Tensor numbers = Tensor::from(segments, {1, T});
  std::vector<double> ours, wanted = nn::same_segment(numbers, numbers).to_vector();  // [1, T, T], not causal
  for (size_t t = 0; t < segments.size(); ++t)
    for (size_t s = 0; s < segments.size(); ++s) {
      ours.push_back(mine::allowed(segments, t, s));
      if (s > t) wanted[t * segments.size() + s] = 0;
    }
  c.value("the mask of a row with texts of 3, 1 and 2 letters", ours, wanted, 0);
}

void use(Pieces& pieces) { pieces.packed_mask = mine::allowed; }

const Registered part({.name = "packed_mask", .exercise = "27.3", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
