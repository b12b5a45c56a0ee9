// A character n-gram is a substring of the line without white space, from one code point boundary to another.
#include "nn/text/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

constexpr size_t orders = 6;
constexpr double beta_squared = 4.0;

struct Characters {
  std::string text;
  std::vector<size_t> borders{0};  // character i is text[borders[i], borders[i + 1])
};

Characters characters_of(std::string_view line) {
  Characters result;
  for (size_t at = 0; at < line.size();) {
    size_t begin = at;
    if (is_space(next(line, at))) continue;
    result.text += line.substr(begin, at - begin);
    result.borders.push_back(result.text.size());
  }
  return result;
}

using Counts = std::unordered_map<std::string_view, int64_t>;

Counts count_ngrams(const Characters& line, size_t n) {
  Counts counts;
  for (size_t i = 0; i + n < line.borders.size(); ++i)
    ++counts[std::string_view(line.text).substr(line.borders[i], line.borders[i + n] - line.borders[i])];
  return counts;
}

}  // namespace

double chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) {
  if (hypotheses.size() != references.size() || hypotheses.empty())
    throw InputError(
        fmt::format("chrf: hypotheses and references must be equal in number, and at least one; got {} and {}",
                    hypotheses.size(), references.size()));
  std::array<int64_t, orders> in_hypothesis{}, in_reference{}, matched{};
  for (size_t s = 0; s < hypotheses.size(); ++s) {
    Characters hypothesis = characters_of(hypotheses[s]), reference = characters_of(references[s]);
    for (size_t n = 1; n <= orders; ++n) {
      Counts wanted = count_ngrams(reference, n);
      for (const auto& [ngram, count] : wanted) in_reference[n - 1] += count;
      for (const auto& [ngram, count] : count_ngrams(hypothesis, n)) {
        // If the reference is too short for n-grams, those of the hypothesis do not count as errors.
        if (!wanted.empty()) in_hypothesis[n - 1] += count;
        auto found = wanted.find(ngram);
        if (found != wanted.end()) matched[n - 1] += std::min(count, found->second);
      }
    }
  }
  double precision = 0.0, recall = 0.0, used = 0.0;
  for (size_t n = 0; n < orders; ++n) {
    if (in_hypothesis[n] == 0 || in_reference[n] == 0) continue;
    precision += static_cast<double>(matched[n]) / static_cast<double>(in_hypothesis[n]);
    recall += static_cast<double>(matched[n]) / static_cast<double>(in_reference[n]);
    used += 1.0;
  }
  if (precision + recall == 0.0) return 0.0;
  precision /= used;
  recall /= used;
  return 100.0 * (1.0 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}

}  // namespace heed::text
