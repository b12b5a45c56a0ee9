// Hints and checks of exercise 10.3.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nn/data/batches.h"
#include "tensor/random.h"
#include "tutorials/10_fixed_vector/exercises/3_batches.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Batches;
using Lengths = const std::vector<int64_t>&;

int64_t of(Lengths lengths, int64_t i) { return lengths[static_cast<std::size_t>(i)]; }
int64_t longest(Lengths lengths, const std::vector<int64_t>& batch) {
  int64_t n = 0;
  for (int64_t i : batch) n = std::max(n, of(lengths, i));
  return n;
}
int64_t symbols(Lengths lengths, const std::vector<int64_t>& batch) {
  int64_t n = 0;
  for (int64_t i : batch) n += of(lengths, i);
  return n;
}
int64_t places(Lengths lengths, const std::vector<int64_t>& batch) {
  return std::ssize(batch) * longest(lengths, batch);
}
int64_t right_padding(Lengths lengths, const Batches& batches) {
  int64_t total = 0;
  for (const auto& batch : batches) total += places(lengths, batch) - symbols(lengths, batch);
  return total;
}

std::string refused(Lengths lengths, int64_t max_places) {
  try {
    mine::batches(lengths, max_places);
  } catch (const ValueError&) { return "ValueError"; }
  return "accepted";
}

void examine(app::Exercise& e) {
  const std::vector<int64_t> few{5, 2, 9, 2, 4, 5, 1};
  e.check("batches of the lengths 5 2 9 2 4 5 1 with 10 places", fmt::format("{}", mine::batches(few, 10)),
          "[[6, 1, 3], [4, 0], [5], [2]]");
  e.check("padding of the batches [[0, 1, 2], [3, 4, 5, 6]]",
          static_cast<double>(mine::padding(few, {{0, 1, 2}, {3, 4, 5, 6}})), (3 * 9 - 16) + (4 * 5 - 12), 0);
  e.check("a sentence of 9 symbols with 8 places", refused(few, 8), "ValueError");
  e.check("a sentence of 9 symbols with 9 places", refused(few, 9), "accepted");
  // 200 sentences: compared with those of data::token_batches.
  Generator rng(1);
  std::vector<int64_t> lengths;
  std::vector<data::EncodedPair> pairs;
  for (int i = 0; i < 200; ++i) {
    lengths.push_back(2 + static_cast<int64_t>(28 * rng.uniform()));
    pairs.push_back({std::vector<int64_t>(static_cast<std::size_t>(lengths.back()), 4), {}});
  }
  Batches mine = mine::batches(lengths, 256), theirs = data::token_batches(pairs, 256, 1, 0);
  e.check("batches of 200 sentences with 256 places", static_cast<double>(mine.size()),
          static_cast<double>(theirs.size()), 0);
  e.check("their padding", static_cast<double>(mine::padding(lengths, mine)),
          static_cast<double>(right_padding(lengths, theirs)), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("10", 3, "Batches with little padding");
  e.hint("std::stable_sort with a comparison of lengths keeps the order of sentences of equal length.");
  e.hint(
      "The sentences are sorted, so the one that joins is the longest of its batch: (size + 1) * its length places.");
  e.hint("padding: for each batch find the longest length and add up the lengths. The batches may be unsorted.");
  e.insight(
      "For these 200 sentences, batches in the order of the text pad 100 symbols with about 70 places, sorted ones\n"
      "with about 8. Afterwards shuffle the order of the batches: else the network sees all short sentences first.",
      "./heed exercise 10 4");
  return e.run(argc, argv, examine);
}
