// Exercise 09.1: the mean of the words.
//
//   y = sum over the words of x_s / number of words          x [B, S, D], words bool [B, S] -> y [B, D]
//
// The usual fault is the mean of all places: it counts the padding, and gives another answer in another batch. The
// checks compare values and gradients with nn::pool.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/pooling/pool.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

Variable mean_of_words(const Variable& x, const Tensor& words) {
  // ---- the gap, filled ----
  Variable w(words.to(x.dtype()).unsqueeze(2));  // [B, S, 1]: 1 for a word, 0 for padding
  return sum(x * w, {1}) / sum(w, {1});
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 1, "The mean of the words");
  e.hint("words.to(x.dtype()) is 1 for a word and 0 for padding; unsqueeze(2) makes it [B, S, 1].");
  e.hint("Sum over axis 1, of x times the mask and of the mask, and divide.");
  return e.run(argc, argv, [&] {
    Generator rng(3);
    Variable x(Tensor::normal({3, 4, 2}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    for (const std::vector<int>& flags : {std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0},
                                          {0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1}}) {
      Tensor words = Tensor::from_bools(flags, {3, 4});
      Variable mine = mean_of_words(x, words), theirs = nn::pool("mean", x, words);
      if (!e.check("the mean", mine.value(), theirs.value(), 1e-12)) continue;
      e.check("its gradient by x", grad({sum(square(mine))}, {x})[0].value(),
              grad({sum(square(theirs))}, {x})[0].value(), 1e-12);
    }
  });
}
