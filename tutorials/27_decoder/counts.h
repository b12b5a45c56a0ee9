// Counting: p(word | the n - 1 words before it), mixed with the probability from one word fewer, so that a sequence
// that was never counted is not impossible (after Bell, Cleary and Witten, 1990):
//
//   p_n(w | c) = (count(c w) + k p_{n-1}(w | c')) / (count(c) + k),   p_0 = 1 / V,   c' is c without its first word
#pragma once

#include "tutorials/27_decoder/model.h"

namespace speaking {

class Counts {
 public:
  Counts(int64_t order, int64_t vocabulary) : order_(order), V_(static_cast<double>(vocabulary)) {}
  void add(const std::vector<int64_t>& sentence) {
    for (size_t i = 0; i < sentence.size(); ++i)
      for (int64_t n = 1; n <= order_; ++n) {
        auto context = before(sentence, i, n);
        ++contexts_[context];
        context.push_back(sentence[i]);
        ++counts_[context];
      }
  }
  // Probability of `word` at position i, after the first i words of the sentence.
  double p(const std::vector<int64_t>& sentence, size_t i, int64_t word) const {
    double p = 1 / V_;
    for (int64_t n = 1; n <= order_; ++n) {
      auto context = before(sentence, i, n);
      double all = of(contexts_, context);
      context.push_back(word);
      p = (of(counts_, context) + kPrior * p) / (all + kPrior);
    }
    return p;
  }
  double mean_loss(const Sentences& test) const {
    double total = 0;
    for (const auto& s : test)
      for (size_t i = 0; i < s.size(); ++i) total -= std::log(p(s, i, s[i]));
    return total / static_cast<double>(words_of(test));
  }

 private:
  using Table = std::map<std::vector<int64_t>, double>;
  static constexpr double kPrior = 2;  // k
  // n, then the n - 1 words before position i; <s> where there are fewer
  static std::vector<int64_t> before(const std::vector<int64_t>& s, size_t i, int64_t n) {
    std::vector<int64_t> out{n};
    for (int64_t k = n - 1; k >= 1; --k)
      out.push_back(std::cmp_less(i, k) ? int64_t{Vocabulary::start} : s[i - static_cast<size_t>(k)]);
    return out;
  }
  static double of(const Table& table, const std::vector<int64_t>& key) {
    auto found = table.find(key);
    return found == table.end() ? 0 : found->second;
  }
  int64_t order_;
  double V_;
  Table contexts_, counts_;
};

}  // namespace speaking
