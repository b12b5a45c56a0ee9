// Hints and checks of exercise 09.3.
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

Tensor tensor_of(const Rows& rows) {
  std::vector<int64_t> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return Tensor::from(flat, {std::ssize(rows), std::ssize(rows[0])});
}

void examine(app::Exercise& e) {
  const Rows ids{{3, 1, 2, 0, 0}, {4, 8, 5, 7, 6}, {2, 0, 0, 0, 0}, {1, 6, 1, 5, 0}};
  const std::vector<int64_t> lengths{3, 5, 1, 4};
  const std::vector<std::string> expected{"2 1 3 0 0", "6 7 5 8 4", "2 0 0 0 0", "5 1 6 1 0"};
  Rows mine = mine::backwards(ids, lengths);
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
  return e.run(argc, argv, examine);
}
