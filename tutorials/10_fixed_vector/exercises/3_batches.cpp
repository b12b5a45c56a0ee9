#include "tutorials/10_fixed_vector/exercises/3_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mine {

// | // The gap makes one batch of all sentences.
Batches batches(const std::vector<int64_t>& lengths, int64_t max_places) {
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), int64_t{0});  // 0, 1, 2, ..
  // ---- the gap: sort, then fill batch after batch ----
  // | return {order};
  // ---- filled ----
  auto length = [&](int64_t i) { return lengths[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return length(a) < length(b); });
  Batches result;
  for (int64_t i : order) {
    if (length(i) > max_places)
      throw heed::ValueError(
          fmt::format("batches: a sentence has at most {} symbols; got one of {}", max_places, length(i)));
    // The sentences are sorted, so this one is the longest of its batch.
    const bool full = result.empty() || (std::ssize(result.back()) + 1) * length(i) > max_places;
    if (full) result.emplace_back();
    result.back().push_back(i);
  }
  return result;
  // ---- end of the gap ----
}

int64_t padding(const std::vector<int64_t>& lengths, const Batches& batches) {
  // ---- the gap: places minus symbols, added up over the batches ----
  // | return 0;
  // ---- filled ----
  int64_t total = 0;
  for (const auto& batch : batches) {
    int64_t longest = 0, symbols = 0;
    for (int64_t i : batch) {
      const int64_t length = lengths[static_cast<std::size_t>(i)];
      longest = std::max(longest, length);
      symbols += length;
    }
    total += std::ssize(batch) * longest - symbols;
  }
  return total;
  // ---- end of the gap ----
}

}  // namespace mine
