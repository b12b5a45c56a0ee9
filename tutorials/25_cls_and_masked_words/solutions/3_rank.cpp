// Exercise 25.3: the first, and how far down.
//
// cosines [N, N] of N English with N French sentences; row i's translation is column i. MRR is the mean of 1 / rank,
// the rank of the translation counted from 1. Among equals the translation comes last. What stands in the gap gives
// every translation the first place.
#include "tutorials/common/exercise.h"

namespace {

using heed::Tensor;

int64_t rank_of(const Tensor& cosines, int64_t i) {
  // ---- the gap, filled ----
  int64_t rank = 0;
  for (int64_t j = 0; j < cosines.size(1); ++j) rank += cosines.at({i, j}) >= cosines.at({i, i});
  return rank;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("25", 3, "The first, and how far down");
  e.hint("The rank is a count: how many columns have a cosine at least as large?");
  e.hint("The translation itself is one of them: so the count begins at 1 by itself.");
  return e.run(argc, argv, [&] {
    Tensor c = Tensor::from(std::vector<double>{.9, .1, .2, .8, .5, .6, .4, .4, .4}, {3, 3});
    double mrr = 0;
    for (int64_t i = 0; i < 3; ++i) mrr += 1 / static_cast<double>(rank_of(c, i)) / 3;
    e.check("rank of the first row", static_cast<double>(rank_of(c, 0)), 1, 0);
    e.check("rank of the second row", static_cast<double>(rank_of(c, 1)), 3, 0);
    e.check("rank of the third row, all equal", static_cast<double>(rank_of(c, 2)), 3, 0);
    e.check("MRR", mrr, (1 + 1.0 / 3 + 1.0 / 3) / 3, 1e-12);
  });
}
