// Numbers in words, translated to digits:
//
//   three hundred and forty two  ->  3 4 2
//   two thousand and five        ->  2 0 0 5
//   seventeen                    ->  1 7         (one word, two digits)
//
// British English, 0 to 999,999, one spelling for each number, without hyphens. A digit has a sure link to the word
// that gives it. A zero that no word gives has possible links to two words: the last word for a higher place and the
// word after it ("thousand" and "and" for both zeros of 2005).
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

std::vector<std::string> number_words(int64_t number);  // ValueError outside [0, 999999]
AlignedPair number_pair(int64_t number);                // source: the words; target: the digits; and their links

struct NumberOptions {
  Range digits{1, 6};       // the number of digits, drawn uniformly
  Range held_out_digits{};  // for validation and test; default: as in training
  TaskParts parts = {};
};
// A number belongs to one part only. There are few short numbers, so they occur often.
Task number_task(const NumberOptions& options = {});

}  // namespace heed::data
