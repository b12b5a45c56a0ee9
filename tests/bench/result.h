// What is measured of a row in one run of the table, and the medians over several runs.
#pragma once

#include <optional>

#include "tests/bench/child.h"

namespace bench {

double median(std::vector<double> v);  // of an even number, the mean of the two in the middle

struct Result {
  struct Peer {  // one library on one number of threads
    std::string name;
    int threads;
    double seconds;
    Child::Memory memory;  // of the best peer only: {} for others
  };

  Row row;
  double seconds = 0;
  double scaling = 0;       // time on one thread over `seconds`; 0: not measured
  std::vector<Peer> peers;  // each of them on each number of threads
  Child::Memory memory{};
  double work = 0;           // floating-point operations of its matrix products, or bytes; 0: not counted
  double limit = 0;          // what the machine does of it in a second
  double held = 0;           // bytes per operation
  double goal_ratio = 0;     // the wanted ratio of the best peer's time to ours; 0: none
  double dynet_seconds = 0;  // of another run, on another machine; 0: none

  const Peer* best_peer() const;                                                             // null if there is none
  double fraction() const { return limit > 0 && seconds > 0 ? work / seconds / limit : 0; }  // of the limit
  double ratio() const { return best_peer() ? best_peer()->seconds / seconds : 0; }
  std::optional<bool> met() const;  // are the goals of the row met? Nothing if it has none that is known
};

// The median of each figure over the runs of one row. Ratios and shares follow from the medians.
Result medians(const std::vector<Result>& runs);

}  // namespace bench
