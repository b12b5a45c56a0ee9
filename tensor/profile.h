// Profile: where the time and the memory go. While a Profile lives, every kernel of this thread reports its name,
// module path, time, number of multiply-adds or elements, and the bytes that it allocated (results and scratch memory).
//
//   Profile profile;  model(x);  fmt::print("{}", profile.table());
//
// Without a Profile, the cost per kernel is one thread-local load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/scope.h"

namespace heed {

struct ProfileRow {
  std::string operation, path;
  int64_t calls = 0;
  double seconds = 0;
  double work = 0;  // multiply-adds of matrix products, elements written otherwise
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
  std::string table() const;             // the same as text: ms, MB, and GFLOP/s or 10^9 elements/s

  struct Data;
  static Data*& active() { return active_; }

 private:
  static inline constinit thread_local Data* active_ = nullptr;
  Data* data_;
  Data* outer_;
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
  uint64_t bytes_before_ = 0;
  bool is_product_ = false;
};

}  // namespace heed
