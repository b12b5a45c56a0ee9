// Numbers in words, to digits:
//
//   three hundred and forty two  ->  3 4 2
//   two thousand and five        ->  2 0 0 5
//   seventeen                    ->  1 7         (one word, two digits)
//
// British English, 0 to 999,999, one spelling each; hyphens are left out. A digit that a word says is linked to it,
// sure. A zero that no word says stands between two words, the one that speaks of higher places and the one that goes
// on: both are possible ("thousand" and "and" for both zeros of 2005).
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

std::vector<std::string> number_words(int64_t number);  // ValueError outside [0, 999999]
AlignedPair number_pair(int64_t number);                // its words, its digits, their links

struct NumberOptions {
  Range digits{1, 6};       // how many the number has, drawn evenly
  Range held_out_digits{};  // of validation and test; left alone: as in training
  TaskParts parts = {};
};
// A number belongs to one part; short ones are few and come often.
Task number_task(const NumberOptions& options = {});

}  // namespace heed::data
