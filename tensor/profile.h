// Profile: where the time and the memory go. While a Profile lives, every kernel of this thread reports its name,
// module path, time, number of multiply-adds or elements, and the bytes that it allocated (results and scratch memory).
// How long threads waited for each other is counted for all callers of the pool together (thread_pool.h).
//
//   Profile profile;  model(x);  fmt::print("{}", profile.table());
//
// Without a Profile, the cost per kernel is one thread-local load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/scope.h"
#include "tensor/thread_pool.h"

namespace heed {

struct ProfileRow {
  std::string operation, path;
  int64_t calls = 0;
  double seconds = 0;
  double waited = 0, helped = 0;  // seconds that the caller waited for other threads, and that those worked
  double work = 0;                // multiply-adds of matrix products, elements written otherwise
  uint64_t bytes = 0;
  bool is_product = false;
};

class Profile {
 public:
  Profile();
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  std::vector<ProfileRow> rows() const;  // slowest first
  // The same as text: ms, the share of the threads' time that was work, MB, and GFLOP/s or 10^9 elements/s. Its last
  // row is the time between the operations: the graph, memory, and the caller's own code.
  std::string table() const;

  struct Data;
  static Data*& active() { return active_; }

 private:
  static inline constinit thread_local Data* active_ = nullptr;
  Data* data_;
  ScopedValue<Data*> scope_;
  LoopClock clock_;
};

// A profiling scope: it measures from its construction to its destruction. Each kernel function opens one. `work`
// counts multiply-adds if is_product, else elements written.
class Kernel {
 public:
  struct Product {};
  Kernel(const char* name, int64_t elements) {
    if (Profile::active()) begin(name, static_cast<double>(elements), false);
  }
  Kernel(const char* name, Product, double multiply_adds) {
    if (Profile::active()) begin(name, multiply_adds, true);
  }
  ~Kernel() {
    if (name_) end();
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

 private:
  void begin(const char* name, double work, bool is_product);
  void end();
  const char* name_ = nullptr;
  double work_ = 0, start_ = 0;
  LoopTimes loops_before_;
  uint64_t bytes_before_ = 0;
  bool is_product_ = false;
};

}  // namespace heed
