// Searches of a vocabulary by spelling: which known words are spelled like a given one, and which match a pattern.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "nn/text/unicode.h"
#include "nn/text/vocabulary.h"

namespace heed::text {

namespace {

constexpr size_t longest_query = 100;  // code points; no mistyped word is longer, and the search stays fast

// True if the whole of `text` matches `pattern`. On a mismatch, the last * takes one more character and the match goes
// on from there; earlier stars never need to be tried again.
bool glob(std::u32string_view pattern, std::u32string_view text) {
  constexpr size_t none = std::u32string_view::npos;
  size_t p = 0, t = 0, star = none, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == U'*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == U'?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != none) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == U'*') ++p;
  return p == pattern.size();
}

}  // namespace

int64_t edit_distance(std::u32string_view a, std::u32string_view b) {
  // rows[0][j] is the distance between the first i letters of a and the first j of b; rows[1], rows[2] are those of
  // i - 1 and i - 2.
  std::array<std::vector<int64_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  std::iota(rows[0].begin(), rows[0].end(), int64_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    std::rotate(rows.begin(), rows.begin() + 2, rows.end());
    rows[0][0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      int64_t substitution = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[0][j] = std::min({substitution, rows[1][j] + 1, rows[0][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[0][j] = std::min(rows[0][j], rows[2][j - 2] + 1);
    }
  }
  return rows[0][b.size()];
}

std::vector<std::string> Vocabulary::nearest(std::string_view word, int64_t how_many, int64_t max_distance) const {
  std::u32string wanted = code_points(word);
  int64_t length = static_cast<int64_t>(wanted.size());
  if (wanted.empty() || wanted.size() > longest_query || how_many <= 0) return {};
  int64_t limit = max_distance >= 0 ? max_distance : std::max<int64_t>(1, length - 1);
  std::vector<std::pair<int64_t, int64_t>> found;  // (distance, id): ids are in order of frequency
  for (int64_t id = first_word(); id < size(); ++id) {
    const std::string& candidate = tokens_[static_cast<size_t>(id)];
    if (candidate.size() > 8 * longest_query) continue;
    std::u32string points = code_points(candidate);
    if (std::abs(static_cast<int64_t>(points.size()) - length) > limit) continue;
    int64_t distance = edit_distance(wanted, points);
    if (distance <= limit) found.emplace_back(distance, id);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> words;
  for (size_t i = 0; i < found.size() && static_cast<int64_t>(i) < how_many; ++i)
    words.push_back(token(found[i].second));
  return words;
}

std::vector<std::string> Vocabulary::matching(std::string_view pattern, int64_t how_many) const {
  std::u32string wanted = code_points(pattern);
  if (wanted.find_first_of(U"*?") == std::u32string::npos) wanted += U'*';
  std::vector<std::string> words;
  for (int64_t id = first_word(); id < size() && static_cast<int64_t>(words.size()) < how_many; ++id)
    if (glob(wanted, code_points(tokens_[static_cast<size_t>(id)]))) words.push_back(tokens_[static_cast<size_t>(id)]);
  return words;
}

}  // namespace heed::text
