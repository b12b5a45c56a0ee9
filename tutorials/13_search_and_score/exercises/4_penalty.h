// Exercise 13.4: beam search with a length penalty, and when it may stop.
//
//   score(y) = log p(y) / ((5 + n) / 6)^alpha                  n words, </s> not counted; log p(y) includes </s>
//
// Only finished sentences are compared by score. Repeat, as long as a sentence is open:
//
//   1. extend each open sentence by </s> and by every word; after `longest` words by </s> only
//   2. of all extensions together keep the `width` with the largest log p (not score: their lengths differ by 1 at
//      most)
//   3. those that end with </s> get their score and join the finished sentences; of these only the `width` best are
//      kept, the best first. The extensions without </s> are the open sentences of the next step
//   4. stop if `width` sentences are finished and no open one can overtake the last of them. At best, an open sentence
//      gets `longest` words and loses no more probability: its score is at most log p / ((5 + longest) / 6)^alpha
//
// Wu et al., 2016, section 7, equation 14 (without coverage). The riddle gives log p of the next word after any history
// (riddle.h); the words are riddle.first .. riddle.first + riddle.words - 1, and text::Vocabulary::stop is </s>.
#pragma once

#include "tutorials/13_search_and_score/riddle.h"

namespace mine {

struct Sentence {
  std::vector<int64_t> words;
  double log_p = 0;
  double score = 0;  // of a finished sentence
};
struct Found {
  std::vector<Sentence> best;  // finished, the best first, at most `width`
  int64_t steps = 0;           // how often the open sentences were extended
};

Found beam_search(const heed::Riddle& riddle, size_t width, int64_t longest, double alpha);

}  // namespace mine
