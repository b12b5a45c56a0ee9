// An exercise is a program with a gap: it measures what the learner's code does and says the first difference in words.
//
//   int main(int argc, char** argv) {
//     heed::app::Exercise e("03", 1, "The gradient of a matrix product");
//     e.hint("Which product of dC [M, N] and B [K, N] has the shape of A, [M, K]?");
//     return e.run(argc, argv, [&] { e.check("dA", gradient_of_a(dc, b), numeric, 1e-8); });
//   }
//
// Exit code 0 solved, 1 not yet: a check failed, an exception was thrown, or a minute has passed. --hint prints the
// hints and runs nothing; --json prints one object: lesson, exercise, title, status, checks, passed, message.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed::app {

class Exercise {
 public:
  Exercise(std::string lesson, int number, std::string title);

  void hint(std::string sentence);  // in the order in which they help

  // measured equals expected: |measured - expected| <= tolerance * max(1, max |expected|), NaN only where NaN is
  // expected. A shape or length that differs is a difference too. Each true if it passed.
  bool check(const std::string& what, double measured, double expected, double tolerance);
  bool check(const std::string& what, const std::vector<double>& measured, const std::vector<double>& expected,
             double tolerance);
  bool check(const std::string& what, const Tensor& measured, const Tensor& expected, double tolerance);
  bool check(const std::string& what, const std::string& measured, const std::string& expected);

  // Runs the body and gives the verdict; the value is what main returns. A body without any check is not solved.
  int run(int argc, char** argv, const std::function<void()>& body);

 private:
  bool count(const std::string& difference);
  bool compare(const std::string& what, const std::vector<double>& measured, const std::vector<double>& expected,
               double tolerance, const std::function<std::string(std::size_t)>& place);
  int verdict(bool as_json) const;

  std::string lesson_, title_;
  int number_;
  std::vector<std::string> hints_;
  int checks_ = 0, passed_ = 0;
  std::string first_difference_;
};

}  // namespace heed::app
