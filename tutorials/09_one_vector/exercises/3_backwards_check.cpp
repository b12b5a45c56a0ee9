// Hints, common mistakes and checks of exercise 09.3.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/recurrent/gru.h"
#include "tutorials/09_one_vector/exercises/3_backwards.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Rows;
using Lengths = const std::vector<int64_t>&;

// Reverses the places from `first` to before `last` of each row.
template <class First, class Last>
Rows reversed(Rows ids, First first, Last last) {
  for (std::size_t b = 0; b < ids.size(); ++b)
    std::reverse(ids[b].begin() + first(b), ids[b].begin() + std::clamp(last(b), first(b), std::ssize(ids[b])));
  return ids;
}
int64_t zero(std::size_t) { return 0; }

const std::vector<app::Mistake<decltype(&mine::backwards)>> mistakes{
    {"Whole rows are reversed (the gap as it was does this), so that short sentences begin with padding: reverse the "
     "first lengths[b] places only",
     [](Rows ids, Lengths) { return reversed(ids, zero, [&](std::size_t b) { return std::ssize(ids[b]); }); }},
    {"No sentence is reversed: in a loop that swaps i with n - 1 - i, let i stop at n / 2, or each pair is swapped "
     "twice",
     [](Rows ids, Lengths) { return ids; }},
    {"The last word stays where it is: std::reverse excludes the end of its range, so end at begin() + lengths[b]",
     [](Rows ids, Lengths n) { return reversed(ids, zero, [&](std::size_t b) { return n[b] - 1; }); }},
    {"The first word stays where it is: begin at begin(), not one place later",
     [](Rows ids, Lengths n) {
       return reversed(
           ids, [](std::size_t) -> int64_t { return 1; }, [&](std::size_t b) { return n[b]; });
     }},
    {"One place too many is reversed, so that a padded sentence begins with padding: end at begin() + lengths[b]",
     [](Rows ids, Lengths n) { return reversed(ids, zero, [&](std::size_t b) { return n[b] + 1; }); }},
    {"Every row is reversed with the length of the first: use lengths[b]",
     [](Rows ids, Lengths n) { return reversed(ids, zero, [&](std::size_t) { return n[0]; }); }},
    {"The sentences are sorted and not reversed: reverse the order in which the words are",
     [](Rows ids, Lengths) {
       for (auto& row : ids) std::sort(row.begin(), row.end(), std::greater<>());
       return ids;
     }},
    {"The padding is lost: all rows keep their S places",
     [](Rows ids, Lengths n) {
       for (std::size_t b = 0; b < ids.size(); ++b) {
         ids[b].resize(static_cast<std::size_t>(n[b]));
         std::reverse(ids[b].begin(), ids[b].end());
       }
       return ids;
     }},
};

Tensor tensor_of(const Rows& rows) {
  std::vector<int64_t> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return Tensor::from(flat, {std::ssize(rows), std::ssize(rows[0])});
}

void examine(app::Exercise& e, const decltype(&mine::backwards)& backwards) {
  const Rows ids{{3, 1, 2, 0, 0}, {4, 8, 5, 7, 6}, {2, 0, 0, 0, 0}, {1, 6, 1, 5, 0}};
  const std::vector<int64_t> lengths{3, 5, 1, 4};
  const std::vector<std::string> expected{"2 1 3 0 0", "6 7 5 8 4", "2 0 0 0 0", "5 1 6 1 0"};
  Rows mine = backwards(ids, lengths);
  for (std::size_t b = 0; b < ids.size(); ++b)
    e.check(fmt::format("row {} of length {}", b + 1, lengths[b]), fmt::format("{}", fmt::join(mine.at(b), " ")),
            expected[b]);
  // A forward GRU with the weights of a backward direction reads your rows: both end in the same state.
  Generator rng(5);
  nn::Embedding embedding({9, 4}, rng);
  nn::GRU both({.input = 4, .hidden = 3, .bidirectional = true}, rng), forward({.input = 4, .hidden = 3}, rng);
  nn::GRUCell &from = both.cells[1], &to = forward.cells[0];  // cells: forward, backward
  to.weight_ih = from.weight_ih, to.weight_hh = from.weight_hh, to.bias_ih = from.bias_ih, to.bias_hh = from.bias_hh;
  Tensor n = Tensor::from(lengths, {4});
  Tensor wanted = both(embedding(tensor_of(ids)), n).state.value().select(0, 1);  // [4, 3]: the backward one
  e.check("the last state", forward(embedding(tensor_of(mine)), n).state.value().select(0, 0), wanted, 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 3, "Backwards, from the last word");
  e.hint("std::reverse takes any range: which one holds the words of row b?");
  e.hint("The range begins at ids[b].begin() and has lengths[b] places.");
  e.insight(
      "Reversing by length makes the backward direction start at the last word of every sentence.\n"
      "Reversing whole rows runs without an error: only the same sentence read alone, without padding, reveals it.",
      "./heed exercise 09 4");
  return e.run(argc, argv, mine::backwards, examine, mistakes);
}
