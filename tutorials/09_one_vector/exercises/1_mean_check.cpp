// Hints, common mistakes and checks of exercise 09.1.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "nn/pooling/pool.h"
#include "tensor/compare.h"
#include "tutorials/09_one_vector/exercises/1_mean.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using V = const Variable&;
using T = const Tensor&;

Variable mask(V x, T words) { return Variable(words.to(x.dtype()).unsqueeze(2)); }  // [B, S, 1]

const std::vector<app::Mistake<decltype(&mine::mean_of_words)>> mistakes{
    {"The gap is still open: padding is averaged like a word", [](V x, T) { return mean(x, {1}); }},
    {"Padding is left out of the sum and still counted: divide by the number of words, not by S",
     [](V x, T words) { return mean(x * mask(x, words), {1}); }},
    {"The number of words is right, and the sum includes the padding: multiply x by the mask before adding up",
     [](V x, T words) { return sum(x, {1}) / sum(mask(x, words), {1}); }},
    {"This is the sum of the words: divide it by their number",
     [](V x, T words) { return sum(x * mask(x, words), {1}); }},
    {"This is the mean of the padding: `words` is true where a position holds a word",
     [](V x, T words) {
       Variable w = mask(x, logical_not(words));
       return sum(x * w, {1}) / sum(w, {1});
     }},
    {"The sum is divided by the number of words in the whole batch: divide each sentence by its own number",
     [](V x, T words) { return sum(x * mask(x, words), {1}) / sum(mask(x, words)); }},
    {"The sum is divided by the number of words times D: count each word once, not once for each feature",
     [](V x, T words) {
       Variable w = mask(x, words);
       return sum(x * w, {1}) / (sum(w, {1}) * static_cast<double>(x.size(2)));
     }},
    {"Your result averages the features of a word, which gives [B, S]: add up along axis 1, the positions",
     [](V x, T words) { return mean(x * mask(x, words), {2}); }},
    {"The words of all sentences are averaged together: add up along axis 1 only, the positions of one sentence",
     [](V x, T words) {
       Variable w = mask(x, words), whole = sum(x * w, {0, 1}, true) / sum(w);
       return squeeze(whole + Variable(Tensor::zeros({x.size(0), 1, x.size(2)}, x.dtype())), 1);
     }},
    {"The first n positions are averaged, n the number of words: words may follow after padding, so use the mask",
     [](V x, T words) {
       Tensor n = sum(Variable(words.to(DType::f64)), {1}, true).value();  // [B, 1]
       Tensor places = Tensor::linspace(0, static_cast<double>(x.size(1) - 1), x.size(1), DType::f64).unsqueeze(0);
       Variable w = mask(x, less(places, n));
       return sum(x * w, {1}) / sum(w, {1});
     }},
};

void examine(app::Exercise& e, const decltype(&mine::mean_of_words)& mean_of_words) {
  Generator rng(3);
  Variable x(Tensor::normal({3, 4, 2}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
  for (const std::vector<int>& flags : {std::vector<int>{1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0},
                                        {0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1},
                                        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    Tensor words = Tensor::from_bools(flags, {3, 4});
    Variable mine = mean_of_words(x, words), theirs = nn::pool("mean", x, words);
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
  return e.run(argc, argv, mine::mean_of_words, examine, mistakes);
}
