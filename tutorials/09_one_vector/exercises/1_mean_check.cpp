// Hints and checks of exercise 09.1.

#include "autograd/backward.h"
#include "nn/pool.h"
#include "tensor/compare.h"
#include "tutorials/09_one_vector/exercises/1_mean.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(3);
  Variable x(Tensor::normal({3, 4, 2}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
  for (const std::vector<int>& flags : {std::vector<int>{1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0},
                                        {0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1},
                                        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    Tensor words = Tensor::from_bools(flags, {3, 4});
    Variable mine = mine::mean_of_words(x, words), theirs = nn::pool("mean", x, words);
    if (!e.check("the mean", mine.value(), theirs.value(), 1e-12)) continue;
    e.check("its gradient by x", grad({sum(square(mine))}, {x})[0].value(), grad({sum(square(theirs))}, {x})[0].value(),
            1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 1, "The mean of the words");
  e.hint("words.to(x.dtype()) is 1 for a word and 0 for padding; .unsqueeze(2) makes it [B, S, 1].");
  e.hint("sum(x * w, {1}) adds up the words, [B, D]. What does sum(w, {1}) give?");
  e.insight(
      "Without the mask the vector of a sentence depends on the longest sentence of its batch.\n"
      "The mean also forgets the order of the words, and gives all of them the same weight.",
      "./heed exercise 09 2");
  return e.run(argc, argv, examine);
}
