// Exercise 13.2: beam search.
//
// A riddle (riddle.h) gives log p of the next word after any history. Keep up to `width` unfinished sentences, and in
// each step:
//
//   1. extend each of them by every word and by </s>; after `longest` words by </s> only
//   2. of all extensions together keep the `width` with the largest log p of the whole sentence
//   3. those that end with </s> are finished and leave the beam; but each has taken one of the `width` places
//
// The answer is the finished sentence with the largest log p (no length penalty), without its </s>.
// text::Vocabulary::stop is </s>; the words are riddle.first .. riddle.first + riddle.words - 1.
#pragma once

#include "tutorials/13_search_and_score/riddle.h"

namespace mine {

struct Partial {
  std::vector<int64_t> words;
  double log_p = 0;
  bool finished = false;
};

Partial beam_search(const heed::Riddle& riddle, size_t width, int64_t longest);

}  // namespace mine
