// A count of pairs of letters, the simplest model of a text and the one to which a language model is compared: p(b | a)
// from how often the letter b came after a. Shannon (1951) measured English so. A pair that was never counted is not
// impossible; the rarer a letter was, the more it relies on the letters without their order (Bell, Cleary and Witten,
// 1990):
//
//   p(b | a) = (n(a, b) + d(a) p(b)) / (n(a) + d(a)),    p(b) = (n(b) + 1) / (n + V + 1)
//
// n(a, b), n(a), n(b), n: counts of the training text; d(a): different letters that came after a; V: different letters
// of the text. The 1 beside V is for all letters that it does not have. A letter is a code point of Unicode.
#pragma once

#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "nn/text/unicode.h"

namespace heed::text {

inline int64_t letters_in(std::string_view text) {
  int64_t n = 0;
  for (size_t at = 0; at < text.size(); ++n) next(text, at);
  return n;
}

class LetterPairs {
 public:
  explicit LetterPairs(std::string_view training) {
    char32_t before = 0;
    for (size_t at = 0; at < training.size(); ++all_) {
      const char32_t letter = next(training, at);
      ++letters_[letter];
      if (all_ > 0) {
        ++first_[before];
        if (++pairs_[{before, letter}] == 1) ++different_[before];
      }
      before = letter;
    }
  }
  double p(char32_t b) const { return (of(letters_, b) + 1) / (all_ + static_cast<double>(letters_.size()) + 1); }
  double p(char32_t b, char32_t a) const {
    const double d = of(different_, a);
    return d == 0 ? p(b) : (of(pairs_, {a, b}) + d * p(b)) / (of(first_, a) + d);
  }
  // -log p of the text in nats, a sum over its letters
  double loss(std::string_view text) const {
    double sum = 0;
    char32_t before = 0;
    for (size_t at = 0; at < text.size();) {
      const bool begins = at == 0;
      const char32_t letter = next(text, at);
      sum -= std::log(begins ? p(letter) : p(letter, before));
      before = letter;
    }
    return sum;
  }

 private:
  template <class Key>
  static double of(const std::map<Key, double>& counts, const Key& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
  }
  std::map<char32_t, double> letters_, first_, different_;
  std::map<std::pair<char32_t, char32_t>, double> pairs_;
  double all_ = 0;
};

}  // namespace heed::text
