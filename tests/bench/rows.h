// The table of workloads: adding a row of a known kind is one line in rows.cpp.
//
// A kind is a function of some sizes that each subject (subject.h) brings under the same name: bench_heed always, a
// peer where it has one. Goals are those of the project's design, taken on the machine of recorded.json; on another
// machine the ratio to the peer holds, not the time.
#pragma once

#include <string>

#include "tests/bench/subject.h"

namespace bench {

struct Row {
  std::string id, workload;
  std::string kind;
  Sizes sizes;
  int threads = 2;
  enum Unit { time, gflops, gigabytes, bytes, words } unit = time;
  double amount = 0;  // of one repetition: floating-point operations (2 for a multiply-add), bytes read and written,
                      // operations recorded (bytes), or the bytes of weights, keys and values that a word needs (words)
  double goal_seconds = 0;   // 0: none
  double goal_fraction = 0;  // of the machine's peak (gflops, time) or of a copy (gigabytes); 0: none
  double goal_bytes = 0;     // per operation (bytes); 0: none
  double goal_ratio = 0;  // time of the best peer / time of heed; recorded time of libtorch / goal_seconds, if larger
  bool scaling = false;   // is 1 thread to 2 worth showing?
  bool also_on_one_thread = false;  // a second row, so that peers can be compared at equal threads
  int most_turns = 7;               // fewer where a repetition takes seconds
};
std::vector<Row> rows();
std::vector<Row> twin_rows();  // fused operations, beside their composed twins

}  // namespace bench
