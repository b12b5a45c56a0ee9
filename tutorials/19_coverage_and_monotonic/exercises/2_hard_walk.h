// Exercise 19.2: the walk of monotonic attention when it translates.
//
// In use, nothing is averaged. The walk begins at key 0. For each query it goes on from the key where the last query
// has stopped, and looks at that key again: it stops at the first key s with p_ts > 1/2. Where there is none, this
// query reads nothing, and no later query reads anything: the walk has run off the end.
//
//   p [T][S] -> for each query the key at which it stops, or -1
//
// Count the keys that were inspected as well: it is at most T + S, and not T S. A key counts each time that its p is
// compared with 1/2. Raffel et al., ICML 2017, algorithm 1.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

using Rows = std::vector<std::vector<double>>;  // [T][S]

struct Walk {
  std::vector<int64_t> stops;  // [T]
  int64_t inspected = 0;
};

Walk hard_walk(const Rows& p);

}  // namespace mine
