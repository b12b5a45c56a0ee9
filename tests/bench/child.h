// One subject (subject.h) at work: a process, a pipe to it and one back.
#pragma once

#include <string>

#include "tests/bench/rows.h"

namespace bench {

class Child {
 public:
  Child(const std::string& program, const std::string& kind, const Sizes& sizes, int threads);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool ready() const { return ready_; }    // it knows the kind, and has done it once
  bool broken() const { return broken_; }  // it gave no answer at all
  double run(double seconds);              // seconds of one repetition; heed::Error if the answer is not a time
  struct Memory {
    double bytes;               // the highest so far, minus those before the workload was made
    double system_allocations;  // in one more repetition; -1: not counted
  };
  Memory memory();
  double operations();                 // of the matrix products in one repetition, 2 per multiply-add; 0: not counted
  double peak();                       // bytes held at the highest in one repetition; -1: not counted
  std::vector<std::string> profile();  // lines

 private:
  std::string ask(const std::string& line);
  std::string answer();
  int to_ = -1, from_ = -1, process_ = -1;
  bool ready_ = false, broken_ = false;
};

}  // namespace bench
