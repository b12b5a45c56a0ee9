// An exercise asks the learner to write a function. Its files, in tutorials/NN_name/exercises/:
//
//   K_name.h           the task: the formula, the shapes, the declaration in namespace mine
//   K_name.cpp         a solution, in which the gap is marked; ./heed exercise cuts out what fills it (cut.awk)
//   K_name.mistakes    common mistakes: each is an edit of the solution, and a sentence (edit.awk)
//   K_name.outcomes    what the checks measure with each mistake, recorded by record.sh (outcome.h)
//   K_name_check.cpp   hints, checks, and main:
//
//   int main(int argc, char** argv) {
//     heed::app::Exercise e("04", 1, "Softmax");
//     e.hint("Which number may be subtracted from all scores without changing the result?");
//     e.insight("Subtracting the maximum changes no weight, and exp never overflows.", "./heed exercise 04 2");
//     return e.run(argc, argv, examine);
//   }
//   void examine(Exercise& e) { e.check("w", mine::softmax(x), expected, 1e-12); ... }
//
// The checks run with the learner's function. If one fails, and a mistake was recorded that gives the same numbers, its
// sentence is printed, too; so are those of mistakes that explain a part of them (`diagnose` in outcome.h).
//
// Exit code 0: solved. 1: not yet, because a check failed, an exception was thrown, or the program ran for a minute.
// --hint N prints hint N and runs nothing. --json prints one object: lesson, exercise, title, status, checks, passed,
// message, mistake (null if none is recognised). --try-mistakes, for the solution: exit code 0 if it measures what was
// recorded, and at least five mistakes were recorded, each different from the solution and from every other mistake.
// --unedited: the gap is as it was, so no mistake is named that would tell what belongs there. --record FILE writes
// what the function measures.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "tensor/tensor.h"
#include "tutorials/common/outcome.h"

namespace heed::app {

class Exercise {
 public:
  Exercise(std::string lesson, int number, std::string title);

  void hint(std::string sentence);                         // hints are given in the order of the calls
  void insight(std::string lines, std::string next = "");  // printed on success: what was learnt, the next command

  // Numbers pass if |measured - expected| <= tolerance * max(1, max |expected|), and NaN if NaN is expected. Shapes,
  // lengths and strings must be equal. Returns true if the check passed.
  bool check(const std::string& what, double measured, double expected, double tolerance);
  bool check(const std::string& what, const std::vector<double>& measured, const std::vector<double>& expected,
             double tolerance);
  bool check(const std::string& what, const Tensor& measured, const Tensor& expected, double tolerance);
  bool check(const std::string& what, const std::string& measured, const std::string& expected);

  // Reads the outcomes of mistakes from this file, not from the one beside the exercise.
  void outcomes(std::string path);

  // Runs the checks with the learner's function and prints the verdict. Returns the exit code. Without any check, the
  // exercise is not solved.
  int run(int argc, char** argv, const std::function<void(Exercise&)>& examine);

 private:
  struct Result {  // of one run of the checks
    int checks = 0, passed = 0;
    std::string first_difference;
    std::vector<Measured> lines;
  };
  bool count(const std::string& difference);
  bool compare(const std::string& what, const std::vector<double>& measured, const std::vector<double>& expected,
               double tolerance, const std::function<std::string(std::size_t)>& place);
  Result result_of(const std::function<void(Exercise&)>& examine);
  std::vector<Outcome> recorded() const;
  std::string diagnosis(
      const std::vector<Measured>& learner) const;  // the sentences of mistakes that explain it, or ""
  int try_mistakes(const Result& solution);
  int verdict(const Result& outcome, bool as_json);
  void keep_output_for_json();
  int give_hint(const std::string& which) const;

  std::string lesson_, title_;
  int number_;
  std::vector<std::string> hints_;
  std::string insight_, next_, outcomes_;
  Result now_;
  bool unedited_ = false;
  std::FILE* json_ = nullptr;  // with --json: the standard output that the program began with
};

}  // namespace heed::app
