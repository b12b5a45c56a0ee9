#include "nn/decode/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nn/text/vocabulary.h"
#include "tensor/error.h"

namespace heed::nn {

bool NextWord::allows(int64_t word) const {
  if (only >= 0) return word == only;
  return std::find(banned.begin(), banned.end(), word) == banned.end();
}

NextWord next_word(const Constraints& c, size_t row, const std::vector<int64_t>& written) {
  const size_t length = written.size();
  if (!c.prefixes.empty() && length < c.prefixes[row].size()) return {.only = c.prefixes[row][length]};
  NextWord next;
  if (std::cmp_less(length, c.min_length)) next.banned.push_back(text::Vocabulary::stop);
  const auto n = static_cast<size_t>(c.no_repeat_ngram);
  if (n == 0 || length + 1 < n) return next;
  auto tail = written.end() - static_cast<std::ptrdiff_t>(n - 1);  // the last n - 1 words
  for (auto begin = written.begin(); begin + static_cast<std::ptrdiff_t>(n - 1) < written.end(); ++begin)
    if (std::equal(tail, written.end(), begin)) next.banned.push_back(begin[static_cast<std::ptrdiff_t>(n - 1)]);
  return next;
}

void require_constraints(const std::string& name, const Constraints& c, size_t rows) {
  if (c.min_length < 0)
    throw ValueError(fmt::format("{}: the minimum length must not be negative; got {}", name, c.min_length));
  if (c.no_repeat_ngram < 0)
    throw ValueError(fmt::format("{}: no_repeat_ngram must not be negative; got {}", name, c.no_repeat_ngram));
  if (!c.prefixes.empty() && c.prefixes.size() != rows)
    throw ValueError(fmt::format("{}: needs one prefix a row; got {} for {}", name, c.prefixes.size(), rows));
  using text::Vocabulary;
  for (const auto& prefix : c.prefixes)
    for (int64_t word : prefix)
      if (word == Vocabulary::pad || word == Vocabulary::start || word == Vocabulary::stop)
        throw ValueError(fmt::format("{}: a prefix must not contain <pad>, <s> or </s>; got word {}", name, word));
}

}  // namespace heed::nn
