// The numbers that a chapter prints, held to the runs that are shipped with it.
//
// tutorials/NN_name/result.json holds what full runs with seeds 1, 2 and 3 wrote (results.sh makes it). Every number in
// the section "What was measured" must be in it, rounded as it is printed:
//
// clang-format off
//   a table that begins with "claim"  row k is claim k; a row "check: .." is the next check.
//                                     Columns: "seed 1", .., or "measured" (the same with all
//                                     seeds); "required"; "control"
//   any other table                   follows <!-- figures: "TITLE" "TITLE" -->: tables of the
//                                     report. A row of it is one row of each, by its label or its
//                                     numbers, and a column of it is one column of one of them.
//                                     "a / b / c" is seeds 1, 2 and 3; otherwise seed 1, or that
//                                     of a column "seed 2"
//   a sentence                        numbers with a fraction, an exponent or a unit (%, points),
//                                     and those of "a / b / c", are in some claim or table
// clang-format on
//
// What comes from elsewhere (other runs, papers, arithmetic) is in measured_apart.txt, word for word and with the
// reason.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"

namespace heed::measured {

struct Number {
  std::string text;    // as printed: "1,024", "-0.5", "2e-7"
  std::size_t at;      // where it begins
  double value, step;  // step: of the last printed digit
};

std::vector<Number> numbers_of(const std::string& text);

// Does `printed` round `found`? The second may be rounded already, to at least as many digits. A minus sign may be said
// in words, so a printed positive number may round a negative one.
bool rounds(const Number& printed, const Number& found);

struct Apart {
  std::string words, reason;
  bool used = false;
};

// One sentence per number that the runs do not have. `runs`: an array of three result.json.
std::vector<std::string> faults_of(const std::string& readme, const io::Json& runs, std::vector<Apart>& apart);

}  // namespace heed::measured
