#include "nn/published/word_rules.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace heed::nn::published {
namespace {

void forbid(std::vector<double>& scores, int64_t token) {
  if (token >= 0 && token < std::ssize(scores)) scores[static_cast<size_t>(token)] = -INFINITY;
}

void allow_only(std::vector<double>& scores, const std::vector<int64_t>& tokens) {
  std::fill(scores.begin(), scores.end(), -INFINITY);
  for (int64_t one : tokens)
    if (one < std::ssize(scores)) scores[static_cast<size_t>(one)] = 0;
}

}  // namespace

bool ends(const GenerationOptions& o, int64_t token) {
  return std::find(o.end.begin(), o.end.end(), token) != o.end.end();
}

void to_log_p(std::vector<double>& scores) {
  const double largest = *std::max_element(scores.begin(), scores.end());
  if (largest == -INFINITY) return;
  double total = 0;
  for (double x : scores) total += std::exp(x - largest);
  const double log_total = largest + std::log(total);
  for (double& x : scores) x -= log_total;
}

void apply_rules(const GenerationOptions& o, const TextSoFar& text, std::vector<double>& scores) {
  const std::vector<int64_t>& ids = text.ids;
  if (o.repetition_penalty != 1)
    for (int64_t id : std::set<int64_t>(ids.begin(), ids.end())) {
      double& x = scores.at(static_cast<size_t>(id));
      x = x < 0 ? x * o.repetition_penalty : x / o.repetition_penalty;
    }
  if (o.no_repeat_ngram > 0)
    for (int64_t one : next_word({.no_repeat_ngram = o.no_repeat_ngram}, 0, ids).banned) forbid(scores, one);
  for (const std::vector<int64_t>& word : o.forbidden) {
    const bool only_ends = word.size() == 1 && ends(o, word[0]);  // the end of a text is no word of it
    const auto before = static_cast<std::ptrdiff_t>(word.size()) - 1;
    if (!only_ends && before < std::ssize(ids) && std::equal(word.begin(), word.end() - 1, ids.end() - before))
      forbid(scores, word.back());
  }
  if (std::ssize(ids) < o.min_length || text.written() < o.min_new)
    for (int64_t one : o.end) forbid(scores, one);
  if (o.forced_first >= 0 && ids.size() == 1) allow_only(scores, {o.forced_first});
  if (!o.forced_last.empty() && text.written() + 1 == text.most) allow_only(scores, o.forced_last);
  for (int64_t one : o.suppressed) forbid(scores, one);
  if (text.written() == (o.forced_first >= 0 && text.prompt == 1 ? 1 : 0))
    for (int64_t one : o.suppressed_first) forbid(scores, one);
  if (o.renormalize && !o.sampled) to_log_p(scores);  // a draw divides by the sum in any case
}

}  // namespace heed::nn::published
