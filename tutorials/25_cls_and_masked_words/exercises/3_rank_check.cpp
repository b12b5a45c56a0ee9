// Hints, common mistakes and checks of exercise 25.3.
#include "tutorials/25_cls_and_masked_words/exercises/3_rank.h"

#include <fmt/format.h>

#include <functional>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Answer = std::function<int64_t(const Tensor&, int64_t)>;

// first + the number of columns j of row i for which counted(cosine, own) holds.
Answer counting(int64_t first, bool (*counted)(double cosine, double own)) {
  return [first, counted](const Tensor& c, int64_t i) {
    int64_t rank = first;
    for (int64_t j = 0; j < c.size(1); ++j) rank += counted(c.at({i, j}), c.at({i, i}));
    return rank;
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: every rank is 1", [](const Tensor&, int64_t) { return 1; }},
    {"Of equal cosines your translation comes first: count >=, so that it comes last",
     counting(1, [](double c, double own) { return c > own; })},
    {"Your ranks begin at 0: count the translation itself, too, with >= instead of >",
     counting(0, [](double c, double own) { return c > own; })},
    {"Your ranks are 1 too large: the translation itself is counted by >= already, so begin at 0",
     counting(1, [](double c, double own) { return c >= own; })},
    {"You count from the wrong end: the largest cosine has rank 1, so count the cosines that are at least as large",
     counting(0, [](double c, double own) { return c <= own; })},
    {"You compare along column i: the candidates of sentence i are in row i",
     [](const Tensor& c, int64_t i) {
       int64_t rank = 0;
       for (int64_t j = 0; j < c.size(0); ++j) rank += c.at({j, i}) >= c.at({i, i});
       return rank;
     }},
    {"You compare with the first column: the translation of row i is column i",
     [](const Tensor& c, int64_t i) {
       int64_t rank = 0;
       for (int64_t j = 0; j < c.size(1); ++j) rank += c.at({i, j}) >= c.at({i, 0});
       return rank;
     }},
};

void examine(app::Exercise& e, const Answer& rank_of) {
  Tensor c = Tensor::from(std::vector<double>{.9, .1, .2, .3, .8, .5, .4, .1, .4, .4, .4, .4, .7, -.2, .3, .2}, {4, 4});
  const std::vector<double> expected{1, 2, 4, 3};
  double mrr = 0;
  for (int64_t i = 0; i < 4; ++i) {
    auto rank = static_cast<double>(rank_of(c, i));
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
  return e.run(argc, argv, Answer(mine::rank_of), examine, mistakes);
}
