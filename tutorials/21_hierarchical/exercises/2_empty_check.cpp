// Hints, common mistakes and checks of exercise 21.2.
#include "tutorials/21_hierarchical/exercises/2_empty.h"

#include <cmath>
#include <vector>

#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

Tensor not_empty(const Tensor& counts, const Tensor& like) { return cast(greater(counts, 0), like.dtype()); }

using V = const Variable&;
const std::vector<app::Mistake<decltype(&mine::sentence_weights)>> mistakes{
    {"The gap is still open: empty sentences get weight", [](V scores, const Tensor&) { return softmax(scores, 1); }},
    {"The weights of the sentences with words do not sum to 1: mask the scores before the softmax, not the weights "
     "after "
     "it",
     [](V scores, const Tensor& counts) { return softmax(scores, 1) * Variable(not_empty(counts, scores.value())); }},
    {"A score of 0 is not masked: exp(0) is 1. Fill with -INFINITY",
     [](V scores, const Tensor& counts) { return softmax(masked_fill(scores, equal(counts, 0), 0), 1); }},
    {"A score of -1 is not masked: exp(-1) is 0.37. Fill with -INFINITY",
     [](V scores, const Tensor& counts) { return softmax(masked_fill(scores, equal(counts, 0), -1), 1); }},
    {"Your mask is inverted: fill where the count is 0",
     [](V scores, const Tensor& counts) { return softmax(masked_fill(scores, greater(counts, 0), -INFINITY), 1); }},
    {"You fill with +INFINITY: the masked scores must be the smallest, -INFINITY",
     [](V scores, const Tensor& counts) { return softmax(masked_fill(scores, equal(counts, 0), INFINITY), 1); }},
    {"Your softmax is over the documents: the sentences of one document are axis 1",
     [](V scores, const Tensor& counts) { return softmax(masked_fill(scores, equal(counts, 0), -INFINITY), 0); }},
    {"You left out the sentences of one word, too: only those with 0 words are empty",
     [](V scores, const Tensor& counts) { return softmax(masked_fill(scores, less_equal(counts, 1), -1e9), 1); }},
    {"You multiplied the scores by the counts: the score 0 of an empty sentence still gets weight. Fill with -INFINITY "
     "where the count is 0",
     [](V scores, const Tensor& counts) { return softmax(scores * Variable(cast(counts, scores.dtype())), 1); }},
};

void examine(app::Exercise& e, const decltype(&mine::sentence_weights)& sentence_weights) {
  Variable scores(Tensor::from(std::vector<double>{1, 2, 3, 0.5, 0, 9}, {2, 3}));
  Tensor all = Tensor::from(std::vector<int64_t>{4, 2, 5, 1, 1, 7}, {2, 3});
  Tensor some = Tensor::from(std::vector<int64_t>{4, 2, 0, 0, 1, 0}, {2, 3});
  e.check("the weights if every sentence has words, element ", sentence_weights(scores, all).value(),
          softmax(scores, 1).value(), 1e-12);
  double a = std::exp(1.0), b = std::exp(2.0);
  e.check("the weights if some sentences have none, element ", sentence_weights(scores, some).value(),
          Tensor::from(std::vector<double>{a / (a + b), b / (a + b), 0, 0, 1, 0}, {2, 3}), 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("21", 2, "A sentence without words");
  e.hint("Lesson 04: which score has the weight exp(score) = 0?");
  e.hint("masked_fill(scores, equal(counts, 0), value) puts the value where there are no words.");
  e.hint("-INFINITY, then softmax over axis 1.");
  e.insight(
      "A batch of documents needs two masks: one for the padded words of each sentence, and one for the padded "
      "sentences\n"
      "of each document. Both work the same way, before the softmax.",
      "./heed exercise 21 3");
  return e.run(argc, argv, mine::sentence_weights, examine, mistakes);
}
