// Hints and checks of exercise 21.2.
#include "tutorials/21_hierarchical/exercises/2_empty.h"

#include <cmath>
#include <vector>

#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Variable scores(Tensor::from(std::vector<double>{1, 2, 3, 0.5, 0, 9}, {2, 3}));
  Tensor all = Tensor::from(std::vector<int64_t>{4, 2, 5, 1, 1, 7}, {2, 3});
  Tensor some = Tensor::from(std::vector<int64_t>{4, 2, 0, 0, 1, 0}, {2, 3});
  e.check("the weights if every sentence has words, element ", mine::sentence_weights(scores, all).value(),
          softmax(scores, 1).value(), 1e-12);
  double a = std::exp(1.0), b = std::exp(2.0);
  e.check("the weights if some sentences have none, element ", mine::sentence_weights(scores, some).value(),
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
  return e.run(argc, argv, examine);
}
