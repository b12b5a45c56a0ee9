// What the tests of the tasks share.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "nn/data/grammar/split.h"
#include "nn/data/tasks/tasks.h"

namespace heed::nn_test {

using data::toy::joined;

inline bool same(const std::vector<data::AlignedPair>& a, const std::vector<data::AlignedPair>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const data::AlignedPair& x, const data::AlignedPair& y) {
    return x.source == y.source && x.target == y.target && x.links == y.links && x.family == y.family;
  });
}

// How many sources of b are in a too.
inline int64_t overlap(const std::vector<data::AlignedPair>& a, const std::vector<data::AlignedPair>& b) {
  std::set<std::string> seen;
  for (const data::AlignedPair& pair : a) seen.insert(joined(pair.source));
  return std::count_if(b.begin(), b.end(),
                       [&](const data::AlignedPair& pair) { return seen.count(joined(pair.source)) > 0; });
}

inline std::vector<const data::AlignedPair*> pairs_of(const data::Task& task) {
  std::vector<const data::AlignedPair*> all;
  for (const auto* part : {&task.train, &task.validation, &task.test})
    for (const data::AlignedPair& pair : *part) all.push_back(&pair);
  return all;
}

// What holds for every task: flags as long as tokens, links in order and inside, symbols that have ids, parts apart.
inline void check_task(const data::Task& task) {
  for (const data::AlignedPair* pair : pairs_of(task)) {
    CHECK(pair->source_content.size() == pair->source.size());
    CHECK(pair->target_content.size() == pair->target.size());
    data::EncodedPair encoded = task.encode(*pair, {.append_stop = false});
    CHECK(task.source.decode(encoded.source) == pair->source);
    CHECK(task.target.decode(encoded.target) == pair->target);
    for (size_t i = 0; i < pair->links.size(); ++i) {
      const data::Link& link = pair->links[i];
      CHECK((link.source >= 0 && static_cast<size_t>(link.source) < pair->source.size()));
      CHECK((link.target >= 0 && static_cast<size_t>(link.target) < pair->target.size()));
      if (i == 0) continue;
      const data::Link& last = pair->links[i - 1];
      CHECK((last.target < link.target || (last.target == link.target && last.source < link.source)));
    }
  }
  CHECK(overlap(task.train, task.validation) == 0);
  CHECK(overlap(task.train, task.test) == 0);
  CHECK(overlap(task.validation, task.test) == 0);
}

}  // namespace heed::nn_test
