// Exercise 09.3: backwards, from the last word.
//
//   a b c . .   ->   c b a . .          lengths 3 and 5; a dot is padding, the id 0
//   d e f g h   ->   h g f e d
//
// A backward direction is a forward one that reads the reversed sequence. What stands in the gap turns the whole row
// round: a short sequence begins with its padding. The checks give your rows to a forward GRU with the
// weights of the backward direction of a GRU in both, and compare the last states.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/recurrent/gru.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

using Rows = std::vector<std::vector<int64_t>>;

Rows backwards(Rows ids, [[maybe_unused]] const std::vector<int64_t>& lengths) {
  for (std::size_t b = 0; b < ids.size(); ++b) {
    // ---- the gap: the words alone ----
    std::reverse(ids[b].begin(), ids[b].end());
    // ---- end of the gap ----
  }
  return ids;
}

Tensor tensor_of(const Rows& rows) {
  std::vector<int64_t> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return Tensor::from(flat, {std::ssize(rows), std::ssize(rows[0])});
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 3, "Backwards, from the last word");
  e.hint("std::reverse takes any range: which one is the words of row b?");
  return e.run(argc, argv, [&] {
    Generator rng(5);
    nn::Embedding embedding({9, 4}, rng);
    nn::GRU both({.input = 4, .hidden = 3, .bidirectional = true}, rng), forward({.input = 4, .hidden = 3}, rng);
    nn::GRUCell &from = both.cells[1], &to = forward.cells[0];  // cells: forward, backward
    to.weight_ih = from.weight_ih, to.weight_hh = from.weight_hh, to.bias_ih = from.bias_ih, to.bias_hh = from.bias_hh;
    const Rows ids{{1, 2, 3, 0, 0}, {4, 5, 6, 7, 8}, {2, 0, 0, 0, 0}};
    const std::vector<int64_t> lengths{3, 5, 1};
    Tensor n = Tensor::from(lengths, {3});
    Rows mine = backwards(ids, lengths);
    for (std::size_t b = 0; b < ids.size(); ++b)
      e.check(fmt::format("row {} of length {}", b + 1, lengths[b]), fmt::format("{}", fmt::join(mine[b], " ")),
              b == 0   ? "3 2 1 0 0"
              : b == 1 ? "8 7 6 5 4"
                       : "2 0 0 0 0");
    Tensor wanted = both(embedding(tensor_of(ids)), n).state.value().select(0, 1);  // [3, 3]: the backward one
    e.check("the last state", forward(embedding(tensor_of(mine)), n).state.value().select(0, 0), wanted, 1e-6);
  });
}
