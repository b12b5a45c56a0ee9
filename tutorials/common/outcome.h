// The outcome of an exercise: what its checks measured. A common mistake is recognised by it.
//
// tutorials/NN_name/exercises/K_name.outcomes has the outcomes of the solution and of each common mistake. record.sh
// writes it, and nobody edits it:
//
//   made from 3141592653                                 a checksum of the exercise's files
//   * the solution
//   1 lse of [0, 0] | 0.6931471806                       the first check: its name | what it measured
//   2 lse of [0, ln 3] | 1.3862943611
//   * lse is too small by the maximum m: ...             a mistake: what is different from the solution
//   2 lse of [0, ln 3] | 0.2876820724
//   end 2                                                the number of checks, if it is not the solution's
//   & 1 3                                                the first mistake and the third, made together (record.sh)
//   1 lse of [0, 0] | 1.3862943611
//
// A long check is kept as its first numbers and the sum of the others.
//
// A learner makes more than one mistake, or leaves the second gap open. Then no outcome is the same as a recorded one,
// but some lines of it are: a mistake explains the lines where it differs from the solution and the learner's function
// measures what it does. It is ruled out by a line where it differs and the learner's function is right.
#pragma once

#include <string>
#include <vector>

namespace heed::app {

struct Measured {
  std::string what;             // the name of a check; with it a string, a wrong shape or the sentence of an error
  std::vector<double> numbers;  // at most kNumbers, and the sum of the others
  double tolerance = 0;         // of the check; it is not recorded

  static constexpr std::size_t kNumbers = 12;
  Measured(std::string name, const std::vector<double>& all = {}, double allowed = 0);
};

struct Outcome {
  std::string sentence;  // of a recorded mistake
  std::vector<Measured> lines;
  std::vector<std::size_t> pair = {};  // the numbers of two mistakes that were made together; they have no sentence
};

// Whether the learner's function does the same: the same checks, and numbers that agree to 1e-9, or to the tolerance of
// the check where that is larger, but never more loosely than to 1e-5.
bool same(const std::vector<Measured>& learner, const std::vector<Measured>& recorded);

struct Diagnosis {
  bool whole = false;                 // one mistake explains everything
  std::vector<std::size_t> mistakes;  // numbers in `known`; in parts: what explains most lines first
};

// known: the outcome of the solution, of the mistakes and of pairs. A line that other mistakes have, too, as "larger"
// or 0, is not enough to name one.
Diagnosis diagnose(const std::vector<Measured>& learner, const std::vector<Outcome>& known);

// The sentence of a mistake that is not the only one: without "The weights are right, and", which may not hold then.
std::string without_praise(const std::string& sentence);

// The file in which record.sh collects them: the lines of one outcome.
void write_outcome(const std::string& path, const std::vector<Measured>& lines);

// The solution, the mistakes and the pairs of an exercise; none if it has no file. The file is
// tutorials/LESSON_*/exercises/ NUMBER_*.outcomes in the tree that this program was built from.
std::vector<Outcome> recorded_outcomes(const std::string& lesson, int number);
std::vector<Outcome> read_outcomes(const std::string& path);

}  // namespace heed::app
