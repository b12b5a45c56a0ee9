// An exercise asks the learner to write a function. Its files, in tutorials/NN_name/exercises/:
//
//   K_name.h           the task: the formula, the shapes, the declaration in namespace mine
//   K_name.cpp         the empty function, which ./heed exercise copies to work/; solutions/K_name.cpp is a solution
//   K_name_check.cpp   hints, common mistakes, checks, and main:
//
//   int main(int argc, char** argv) {
//     heed::app::Exercise e("04", 1, "Softmax");
//     e.hint("Which number may be subtracted from all scores without changing the result?");
//     e.insight("Subtracting the maximum changes no weight, and exp never overflows.", "./heed exercise 04 2");
//     return e.run(argc, argv, mine::softmax, examine, mistakes);
//   }
//   void examine(Exercise& e, const Answer& softmax) { e.check("w", softmax(x), expected, 1e-12); ... }
//   mistakes: {{"Your weights do not sum to 1: divide by the sum of the exponentials", without_division}, ..}
//
// The checks run with the learner's function. If one fails, they run again with the function of each common mistake. If
// a mistake gives the same numbers as the learner's function (to 1e-9), its sentence is printed, too.
//
// Exit code 0: solved. 1: not yet, because a check failed, an exception was thrown, or the program ran for a minute.
// --hint N prints hint N and runs nothing. --json prints one object: lesson, exercise, title, status, checks, passed,
// message, mistake (null if none is recognised). --try-mistakes runs every mistake as if it were the learner's
// function: exit code 0 if there are at least five, each fails, and each is recognised as itself.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "tensor/tensor.h"

namespace heed::app {

template <class Answer>
struct Mistake {
  std::string sentence;  // what is wrong, and what to do: "They sum to 0.66: mask before the softmax"
  Answer answer;         // the function with this mistake
};

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

  // Runs examine with the learner's function and prints the verdict. Returns the exit code. Without any check, the
  // exercise is not solved.
  template <class Answer>
  int run(int argc, char** argv, Answer learner,
          const std::function<void(Exercise&, const std::type_identity_t<Answer>&)>& examine,
          const std::vector<Mistake<std::type_identity_t<Answer>>>& mistakes) {
    for (const auto& m : mistakes)
      mistakes_.push_back({m.sentence, [this, examine, a = m.answer] { examine(*this, a); }});
    return run(argc, argv, [this, examine, learner] { examine(*this, learner); });
  }
  int run(int argc, char** argv, const std::function<void()>& body);

 private:
  struct Outcome {  // of one run of the checks
    int checks = 0, passed = 0;
    std::string first_difference;
    std::vector<std::string> texts;  // everything that was measured: names, strings, errors ..
    std::vector<double> numbers;     // .. and numbers
  };
  struct Known {
    std::string sentence;
    std::function<void()> body;
  };
  bool count(const std::string& difference);
  bool compare(const std::string& what, const std::vector<double>& measured, const std::vector<double>& expected,
               double tolerance, const std::function<std::string(std::size_t)>& place);
  Outcome outcome_of(const std::function<void()>& body);
  std::string diagnosis(const Outcome& outcome);  // the sentence of the mistake that has this outcome, or ""
  int try_mistakes();
  int verdict(const Outcome& outcome, bool as_json);
  void keep_output_for_json();
  int give_hint(const std::string& which) const;

  std::string lesson_, title_;
  int number_;
  std::vector<std::string> hints_;
  std::string insight_, next_;
  std::vector<Known> mistakes_;
  Outcome now_;
  std::FILE* json_ = nullptr;  // with --json: the standard output that the program began with
};

}  // namespace heed::app
