// Hints, common mistakes and checks of exercise 10.3.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "nn/data/batches.h"
#include "tensor/random.h"
#include "tutorials/10_fixed_vector/exercises/3_batches.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Batches;
using Lengths = const std::vector<int64_t>&;

struct Answer {
  decltype(&mine::batches) batches;
  decltype(&mine::padding) padding;
};

int64_t of(Lengths lengths, int64_t i) { return lengths[static_cast<std::size_t>(i)]; }
std::vector<int64_t> in_order(Lengths lengths) {
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}
std::vector<int64_t> sorted(Lengths lengths, std::vector<int64_t> order) {
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return of(lengths, a) < of(lengths, b); });
  return order;
}
// Fills batches in `order`; fits(batch with the sentence) says whether the sentence may join.
template <class Fits>
Batches filled(const std::vector<int64_t>& order, Fits fits) {
  Batches result;
  for (int64_t i : order) {
    std::vector<int64_t> with = result.empty() ? std::vector<int64_t>{} : result.back();
    with.push_back(i);
    if (result.empty() || !fits(with)) result.emplace_back();
    result.back().push_back(i);
  }
  return result;
}
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

void refuse_too_long(Lengths lengths, int64_t max_places) {
  if (std::ranges::any_of(lengths, [&](int64_t n) { return n > max_places; }))
    throw ValueError("batches: a sentence is longer than a batch");
}
Batches right_batches(Lengths lengths, int64_t max) {
  refuse_too_long(lengths, max);
  return filled(sorted(lengths, in_order(lengths)), [&](const auto& batch) { return places(lengths, batch) <= max; });
}
int64_t right_padding(Lengths lengths, const Batches& batches) {
  int64_t total = 0;
  for (const auto& batch : batches) total += places(lengths, batch) - symbols(lengths, batch);
  return total;
}
int64_t open_padding(Lengths, const Batches&) { return 0; }

const std::vector<app::Mistake<Answer>> mistakes{
    {"Both gaps are still open: all sentences are in one batch, and padding gives 0",
     {[](Lengths lengths, int64_t) { return Batches{in_order(lengths)}; }, open_padding}},
    {"The batches are right, and the gap of padding is still open", {right_batches, open_padding}},
    {"The sentences are not sorted: sort them by length before filling the batches",
     {[](Lengths lengths, int64_t max) {
        refuse_too_long(lengths, max);
        return filled(in_order(lengths), [&](const auto& batch) { return places(lengths, batch) <= max; });
      },
      right_padding}},
    {"The longest sentence comes first: sort with the shortest first",
     {[](Lengths lengths, int64_t max) {
        refuse_too_long(lengths, max);
        std::vector<int64_t> order = in_order(lengths);
        std::stable_sort(order.begin(), order.end(),
                         [&](int64_t a, int64_t b) { return of(lengths, a) > of(lengths, b); });
        return filled(order, [&](const auto& batch) { return places(lengths, batch) <= max; });
      },
      right_padding}},
    {"A batch is limited by its symbols: padding takes places, too, so count sentences times the longest length",
     {[](Lengths lengths, int64_t max) {
        refuse_too_long(lengths, max);
        return filled(sorted(lengths, in_order(lengths)),
                      [&](const auto& batch) { return symbols(lengths, batch) <= max; });
      },
      right_padding}},
    {"A batch exceeds max_places: count the sentence that is to join, size + 1 times its length",
     {[](Lengths lengths, int64_t max) {
        refuse_too_long(lengths, max);
        return filled(sorted(lengths, in_order(lengths)),
                      [&](const auto& batch) { return (std::ssize(batch) - 1) * longest(lengths, batch) <= max; });
      },
      right_padding}},
    {"A batch with exactly max_places places is refused: compare with >, not >=",
     {[](Lengths lengths, int64_t max) {
        refuse_too_long(lengths, max);
        return filled(sorted(lengths, in_order(lengths)),
                      [&](const auto& batch) { return places(lengths, batch) < max; });
      },
      right_padding}},
    {"A batch has at most max_places sentences: its size is measured in places, sentences times the longest length",
     {[](Lengths lengths, int64_t max) {
        refuse_too_long(lengths, max);
        return filled(sorted(lengths, in_order(lengths)), [&](const auto& batch) { return std::ssize(batch) <= max; });
      },
      right_padding}},
    {"A sentence longer than max_places is accepted: throw heed::ValueError",
     {[](Lengths lengths, int64_t max) {
        return filled(sorted(lengths, in_order(lengths)),
                      [&](const auto& batch) { return places(lengths, batch) <= max; });
      },
      right_padding}},
    {"padding counts all places: subtract the symbols",
     {right_batches,
      [](Lengths lengths, const Batches& batches) {
        int64_t total = 0;
        for (const auto& batch : batches) total += places(lengths, batch);
        return total;
      }}},
    {"padding uses the longest sentence of the whole text: each batch has its own longest sentence",
     {right_batches,
      [](Lengths lengths, const Batches& batches) {
        int64_t total = 0, all = *std::max_element(lengths.begin(), lengths.end());
        for (const auto& batch : batches) total += std::ssize(batch) * all - symbols(lengths, batch);
        return total;
      }}},
    {"padding takes the first sentence of a batch for its longest: find the maximum, in case the batch is not sorted",
     {right_batches,
      [](Lengths lengths, const Batches& batches) {
        int64_t total = 0;
        for (const auto& batch : batches)
          total += std::ssize(batch) * of(lengths, batch.front()) - symbols(lengths, batch);
        return total;
      }}},
    {"padding takes the last sentence of a batch for its longest: find the maximum, in case the batch is not sorted",
     {right_batches,
      [](Lengths lengths, const Batches& batches) {
        int64_t total = 0;
        for (const auto& batch : batches)
          total += std::ssize(batch) * of(lengths, batch.back()) - symbols(lengths, batch);
        return total;
      }}},
};

std::string refused(const Answer& answer, Lengths lengths, int64_t max_places) {
  try {
    answer.batches(lengths, max_places);
  } catch (const ValueError&) { return "ValueError"; }
  return "accepted";
}

void examine(app::Exercise& e, const Answer& answer) {
  const std::vector<int64_t> few{5, 2, 9, 2, 4, 5, 1};
  e.check("batches of the lengths 5 2 9 2 4 5 1 with 10 places", fmt::format("{}", answer.batches(few, 10)),
          "[[6, 1, 3], [4, 0], [5], [2]]");
  e.check("padding of the batches [[0, 1, 2], [3, 4, 5, 6]]",
          static_cast<double>(answer.padding(few, {{0, 1, 2}, {3, 4, 5, 6}})), (3 * 9 - 16) + (4 * 5 - 12), 0);
  e.check("a sentence of 9 symbols with 8 places", refused(answer, few, 8), "ValueError");
  e.check("a sentence of 9 symbols with 9 places", refused(answer, few, 9), "accepted");
  // 200 sentences: compared with those of data::token_batches.
  Generator rng(1);
  std::vector<int64_t> lengths;
  std::vector<data::EncodedPair> pairs;
  for (int i = 0; i < 200; ++i) {
    lengths.push_back(2 + static_cast<int64_t>(28 * rng.uniform()));
    pairs.push_back({std::vector<int64_t>(static_cast<std::size_t>(lengths.back()), 4), {}});
  }
  Batches mine = answer.batches(lengths, 256), theirs = data::token_batches(pairs, 256, 1, 0);
  e.check("batches of 200 sentences with 256 places", static_cast<double>(mine.size()),
          static_cast<double>(theirs.size()), 0);
  e.check("their padding", static_cast<double>(answer.padding(lengths, mine)),
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
  return e.run(argc, argv, Answer{mine::batches, mine::padding}, examine, mistakes);
}
