// Random models that are small enough to try every sentence, so that the result of a search can be checked.
//
//   p(w | previous words)   drawn at random; depends on the seed and the previous words only
//
// With `answer`, a trained model gives these probabilities, and the same searches decode it.
//
// With W words besides </s> and at most T words per sentence there are 1 + W + W^2 + .. + W^T sentences.
#pragma once

#include <cmath>
#include <functional>

#include "nn/decode/search.h"
#include "nn/text/vocabulary.h"
#include "tensor/random.h"

namespace heed {

struct Riddle {
  int64_t words = 3;
  uint64_t seed = 1;
  std::function<std::vector<double>(const std::vector<int64_t>& history)> answer = {};  // none: drawn at random
  static constexpr int64_t first = text::Vocabulary::specials;                          // the id of the first word

  std::vector<double> log_p(const std::vector<int64_t>& history) const {  // [4 + W]; -inf for <pad>, <unk>, <s>
    if (answer) return answer(history);
    uint64_t place = seed;
    for (int64_t w : history) place = place * 1000003 + static_cast<uint64_t>(w);
    Generator rng(place);
    std::vector<double> score(static_cast<size_t>(first + words), -INFINITY);
    double sum = 0;
    for (int64_t w = text::Vocabulary::stop; w < first + words; ++w) {
      score[static_cast<size_t>(w)] = 1.5 * rng.normal() - (w == text::Vocabulary::stop ? 1 : 0);
      sum += std::exp(score[static_cast<size_t>(w)]);
    }
    for (double& s : score) s -= std::log(sum);
    return score;
  }
};

// The interface that a search expects: each row is the words of one hypothesis so far.
class RiddleSearch final : public nn::SearchModel {
 public:
  explicit RiddleSearch(const Riddle& riddle) : riddle_(riddle) {}
  int64_t rows() const override { return std::ssize(histories_); }
  Tensor next(const Tensor& tokens) override {
    std::vector<double> all;
    for (size_t r = 0; r < histories_.size(); ++r) {
      if (begun_)  // the first token is <s>, which is not part of the words so far
        histories_[r].push_back(static_cast<int64_t>(tokens.at({static_cast<int64_t>(r)})));
      std::vector<double> one = riddle_.log_p(histories_[r]);
      all.insert(all.end(), one.begin(), one.end());
    }
    begun_ = true;
    return Tensor::from(all, {rows(), Riddle::first + riddle_.words});
  }
  void keep(const Tensor& rows) override {
    std::vector<std::vector<int64_t>> kept;
    for (int64_t i = 0; i < rows.count(); ++i)
      kept.push_back(histories_[static_cast<size_t>(static_cast<int64_t>(rows.at({i})))]);
    histories_ = std::move(kept);
  }

 private:
  Riddle riddle_;
  std::vector<std::vector<int64_t>> histories_{{}};
  bool begun_ = false;
};

// Exhaustive search: scores every sentence of at most `longest` words and returns the best one.
inline nn::Hypothesis exhaustive(const Riddle& riddle, int64_t longest, double length_penalty) {
  nn::Hypothesis best;
  best.score = -INFINITY;
  std::vector<nn::Hypothesis> open{{}};  // unfinished sentences
  for (int64_t length = 0; length <= longest; ++length) {
    std::vector<nn::Hypothesis> longer;
    for (const nn::Hypothesis& h : open) {
      std::vector<double> log_p = riddle.log_p(h.tokens);
      nn::Hypothesis ended = h;
      ended.finished = true;
      ended.log_probability += log_p[text::Vocabulary::stop];
      ended.score = ended.log_probability / std::pow((5 + static_cast<double>(length)) / 6, length_penalty);
      if (ended.score > best.score) best = ended;
      for (int64_t w = Riddle::first; w < Riddle::first + riddle.words; ++w) {
        longer.push_back(h);
        longer.back().tokens.push_back(w);
        longer.back().log_probability += log_p[static_cast<size_t>(w)];
      }
    }
    open = std::move(longer);
  }
  return best;
}

}  // namespace heed
