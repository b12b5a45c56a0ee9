// Sums of rows at indices that keep their digits, however many rows an index repeats.
//
// One running total for all rows of an index would round each to the last place of the total (sums.h): a million rows
// of 0.1 in f32 become 100,958. So the places that occur more than kRepeats times are found first, and each gets a sum
// of runs. To all other places the rows are added directly, in the order of the index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/kernels/sums.h"

namespace heed {

constexpr int32_t kRepeats = 4096;

struct Repeated {
  std::vector<int32_t> number_at;  // for each place its number among those that repeat, or -1; empty if none does
  int32_t count = 0;               // how many repeat
  int32_t operator[](int64_t place) const { return number_at[static_cast<size_t>(place)]; }
};
// `visit` calls its argument with the place of each of n entries; one place can have at most `most` of them. Nearly
// always no place repeats that often, and a few counters, each shared by several places, are enough to show it.
template <class F>
Repeated repeated_places(int64_t n, int64_t most, int64_t places, const F& visit) {
  Repeated repeated;
  if (most <= kRepeats) return repeated;
  int64_t shared = kRepeats;
  while (shared < n / (kRepeats / 4)) shared *= 2;
  std::vector<int32_t> entries(static_cast<size_t>(shared));
  visit([p = entries.data(), last = shared - 1](int64_t place) { ++p[place & last]; });
  auto none = [&] { return *std::max_element(entries.begin(), entries.end()) <= kRepeats; };
  if (none()) return repeated;
  entries.assign(static_cast<size_t>(places), 0);
  visit([p = entries.data()](int64_t place) { ++p[place]; });
  if (none()) return repeated;
  for (int32_t& count : entries) count = count > kRepeats ? repeated.count++ : -1;
  repeated.number_at = std::move(entries);
  return repeated;
}

// The sum of rows [width] at each place that repeats. kRun rows make a run, and the runs are added in a binary tree, as
// in RunSums. parts[0] is the unfinished run; parts[k + 1] is the sum of 2^k runs if bit k of the number of runs is
// set.
template <class T>
class IndexedSums {
 public:
  IndexedSums(const Repeated& repeated, int64_t width)
      : repeated_(repeated), width_(static_cast<size_t>(width)), sums_(static_cast<size_t>(repeated.count)) {}
  void add(int32_t number, const T* row) {
    Sum& s = sums_[static_cast<size_t>(number)];
    if (s.parts.empty()) s.run = s.parts.emplace_back(width_).data();
    for (size_t j = 0; j < width_; ++j) s.run[j] += row[j];
    if (++s.rows % kRun == 0) carry(s);
  }
  // Adds each sum to y + place step.
  void add_totals_to(T* y, int64_t step) {
    for (size_t place = 0; place < repeated_.number_at.size(); ++place) {
      if (repeated_.number_at[place] < 0) continue;
      Sum& s = sums_[static_cast<size_t>(repeated_.number_at[place])];
      for (size_t k = 1; k < s.parts.size(); ++k)
        if ((s.rows / kRun) >> (k - 1) & 1) add_part(s, k);
      T* to = y + static_cast<int64_t>(place) * step;
      for (size_t j = 0; j < width_; ++j) to[j] += s.parts[0][j];
    }
  }

 private:
  struct Sum {
    int64_t rows = 0;
    T* run = nullptr;  // parts[0]
    std::vector<std::vector<T>> parts;
  };
  void add_part(Sum& s, size_t k) {
    for (size_t j = 0; j < width_; ++j) s.parts[0][j] += s.parts[k][j];
  }
  void carry(Sum& s) {
    size_t k = 1;
    for (int64_t runs = s.rows / kRun - 1; runs >> (k - 1) & 1; ++k) add_part(s, k);
    if (k == s.parts.size()) s.parts.emplace_back(width_);
    std::swap(s.parts[0], s.parts[k]);
    std::fill(s.parts[0].begin(), s.parts[0].end(), T{});
    s.run = s.parts[0].data();
  }

  const Repeated& repeated_;
  size_t width_;
  std::vector<Sum> sums_;
};

}  // namespace heed
