// Hints and checks of exercise 25.3.
#include "tutorials/25_cls_and_masked_words/exercises/3_rank.h"

#include <fmt/format.h>

#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Tensor c = Tensor::from(std::vector<double>{.9, .1, .2, .3, .8, .5, .4, .1, .4, .4, .4, .4, .7, -.2, .3, .2}, {4, 4});
  const std::vector<double> expected{1, 2, 4, 3};
  double mrr = 0;
  for (int64_t i = 0; i < 4; ++i) {
    auto rank = static_cast<double>(mine::rank_of(c, i));
    e.check(fmt::format("the rank of row {}", i), rank, expected[static_cast<size_t>(i)], 0);
    mrr += 1 / rank / 4;
  }
  e.check("MRR", mrr, (1 + 1.0 / 2 + 1.0 / 4 + 1.0 / 3) / 4, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("25", 3, "Ranks and MRR");
  e.hint("A rank is a count: how many columns of the row have a cosine that is at least as large?");
  e.hint("The translation itself is one of them, so the count begins at 0 and is at least 1.");
  e.insight(
      "MRR rewards a second place with a half and a tenth place with a tenth. Counting ties against the model "
      "matters:\n"
      "otherwise an encoder that gives every sentence the same vector would be perfect.",
      "./heed run 26");
  return e.run(argc, argv, examine);
}
