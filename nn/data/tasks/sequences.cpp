#include "nn/data/tasks/sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/data/tasks/draw.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

using namespace drawing;
using Numbers = std::vector<int64_t>;

Numbers draw_numbers(Generator& rng, const SequenceOptions& o, int64_t length) {
  Numbers numbers;
  if (o.distinct) {
    numbers.resize(static_cast<size_t>(o.symbols));
    std::iota(numbers.begin(), numbers.end(), 0);
    rng.shuffle(numbers);
    numbers.resize(static_cast<size_t>(length));
  } else {
    for (int64_t i = 0; i < length; ++i) numbers.push_back(rng.below(o.symbols));
  }
  return numbers;
}

// order[t] is the source position that y_t is copied from.
template <class Order>
Task permuting(const char* name, const SequenceOptions& o, const Order& order) {
  Plan plan{name, o.lengths, given(o.held_out_lengths, o.lengths), o.parts};
  check_parts(plan.task, o.parts);
  check_least(plan.task, "symbols", o.symbols, 2);
  check_range(plan.task, "lengths", plan.sizes, 1);
  check_range(plan.task, "held-out lengths", plan.held_out, 1);
  int64_t longest = std::max(plan.sizes.most, plan.held_out.most);
  if (o.distinct && longest > o.symbols)
    throw ValueError(
        fmt::format("{}: distinct symbols need a set at least as large as the longest sequence; got {} for {}", name,
                    o.symbols, longest));
  std::vector<std::string> names = numerals(o.first, o.symbols);
  return sequence_task(plan, Symbols(names), Symbols(names), [&](Generator& rng, int64_t length) {
    Numbers x = draw_numbers(rng, o, length);
    std::vector<size_t> from = order(x);
    std::vector<std::string> source, target;
    std::vector<Link> links;
    for (int64_t number : x) source.push_back(names[static_cast<size_t>(number)]);
    for (size_t t = 0; t < from.size(); ++t) {
      target.push_back(source[from[t]]);
      if (plan.task != "sort" || std::count(x.begin(), x.end(), x[from[t]]) == 1) {
        links.push_back(sure(from[t], t));
      } else {
        for (size_t s = 0; s < x.size(); ++s)
          if (x[s] == x[from[t]]) links.push_back(possible(s, t));
      }
    }
    return aligned(plan.task, std::move(source), std::move(target), std::move(links));
  });
}

std::vector<size_t> places(const Numbers& x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

}  // namespace

Task copy_task(const SequenceOptions& options) { return permuting("copy", options, places); }

Task reverse_task(const SequenceOptions& options) {
  return permuting("reverse", options, [](const Numbers& x) {
    std::vector<size_t> order = places(x);
    std::reverse(order.begin(), order.end());
    return order;
  });
}

Task sort_task(const SequenceOptions& options) {
  return permuting("sort", options, [](const Numbers& x) {
    std::vector<size_t> order = places(x);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
    return order;
  });
}

Task selective_copy_task(const SelectiveCopyOptions& o) {
  Plan plan{"selective copy", o.lengths, given(o.held_out_lengths, o.lengths), o.parts};
  check_parts(plan.task, o.parts);
  check_least(plan.task, "symbols", o.symbols, 2);
  check_range(plan.task, "lengths", plan.sizes, 1);
  check_range(plan.task, "held-out lengths", plan.held_out, 1);
  if (!(o.share > 0 && o.share <= 1))
    throw ValueError(fmt::format("selective copy: the share of symbols must be in (0, 1]; got {}", o.share));
  std::vector<std::string> names = numerals(0, o.symbols), with_blank = names;
  with_blank.insert(with_blank.begin(), "_");
  return sequence_task(plan, Symbols(with_blank), Symbols(names), [&](Generator& rng, int64_t length) {
    auto count = std::max<int64_t>(1, std::llround(o.share * static_cast<double>(length)));
    Numbers places(static_cast<size_t>(length));
    std::iota(places.begin(), places.end(), 0);
    rng.shuffle(places);
    std::sort(places.begin(), places.begin() + count);
    std::vector<std::string> source(static_cast<size_t>(length), "_"), target;
    std::vector<Link> links;
    for (size_t t = 0; t < static_cast<size_t>(count); ++t) {
      const auto place = static_cast<size_t>(places[t]);
      target.push_back(source[place] = names[static_cast<size_t>(rng.below(o.symbols))]);
      links.push_back(sure(place, t));
    }
    return aligned(plan.task, std::move(source), std::move(target), std::move(links));
  });
}

SequenceOptions joeynmt_reverse_options(uint64_t seed) {
  return {.symbols = 50,
          .lengths = {1, 25},
          .held_out_lengths = {1, 30},
          .parts = {.train = 50000, .validation = 1000, .test = 1000, .seed = seed, .independent = true}};
}

SequenceOptions annotated_copy_options(uint64_t seed) {
  // 100 batches of 32 per epoch, newly drawn each time, for 10 epochs; 100 sequences for validation.
  return {.symbols = 10,
          .lengths = {9, 9},
          .first = 1,
          .parts = {.train = 32000, .validation = 100, .test = 100, .seed = seed, .independent = true}};
}

}  // namespace heed::data
