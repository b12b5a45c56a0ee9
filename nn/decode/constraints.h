// Constraints: rules about what a search may write, however probable the model finds something else.
//
//   min_length       </s> is forbidden until the sentence has this many words
//   no_repeat_ngram  n: a word is forbidden if the sentence would then end in n words that it already contains, one
//                    after the other (Paulus, Xiong and Socher, ICLR 2018, section 2.5, with n = 3); 0: no rule
//   prefixes         for each row the words with which its sentence must begin; they count for min_length, and are
//                    written even if another rule forbids them
//
// The search never takes a forbidden word. The probabilities of the other words stay as they are (they are not divided
// by their sum again), so the log-probability of a hypothesis is the model's own. If every word is forbidden, greedy
// search ends the sentence, and beam search drops the hypothesis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::nn {

struct Constraints {
  int64_t min_length = 0;
  int64_t no_repeat_ngram = 0;
  std::vector<std::vector<int64_t>> prefixes = {};  // one per row; empty: none
  bool any() const { return min_length > 0 || no_repeat_ngram > 0 || !prefixes.empty(); }
};

// The words that may follow a hypothesis.
struct NextWord {
  int64_t only = -1;                 // if not -1: the only word allowed, the next one of a prefix
  std::vector<int64_t> banned = {};  // forbidden words, usually few
  bool allows(int64_t word) const;
};
NextWord next_word(const Constraints& constraints, size_t row, const std::vector<int64_t>& written);

// ValueError for a negative number, or prefixes that are not one per row.
void require_constraints(const std::string& name, const Constraints& constraints, size_t rows);

}  // namespace heed::nn
