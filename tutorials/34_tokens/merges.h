// Byte-pair encoding, as short as it can be: how merges are learned from words, and how they are applied to a new one.
//
// clang-format off
//   learn    words as letters, with their counts; count all pairs of neighbours inside words,
//            join the most frequent pair everywhere; repeat
//   apply    the letters of a word; join the pair that was learned first, the leftmost one; repeat
// clang-format on
//
// Each merge counts all pairs anew: slow, but there is nothing to get wrong. The library (nn/text/bpe.h) only looks at
// the words that a merge has changed, and finds the same merges. Sennrich, Haddow and Birch, ACL 2016. A word begins
// with the mark ▁, as in sentencepiece.
#pragma once

#include <map>

#include "nn/text/bpe.h"
#include "tutorials/34_tokens/texts.h"

namespace from_text {

using Pieces = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

struct Counted {
  Pieces pieces;
  int64_t count;
};
struct Learned {
  Pair pair;
  int64_t count;  // how often these two were neighbours
};

// ▁ and the letters of a word. A ▁ of the text itself stays with the letter before it.
inline Pieces spelled(const std::string& word) {
  Pieces letters{"▁"};
  for (char32_t c : text::code_points(word)) {
    if (c != U'▁') letters.emplace_back();
    text::append(letters.back(), c);
  }
  return letters;
}
inline std::vector<Counted> spelled(const std::vector<std::string>& lines) {
  std::vector<Counted> words;
  const text::WordCounts counts = counted(lines);
  for (const auto& [word, count] : counts.counts()) words.push_back({spelled(word), count});
  return words;
}

inline void join_all(Pieces& pieces, const Pair& pair) {
  size_t end = 0;  // of the pieces that are ready
  for (size_t i = 0; i < pieces.size(); ++i, ++end) {
    const bool both = i + 1 < pieces.size() && pieces[i] == pair.first && pieces[i + 1] == pair.second;
    if (end < i) pieces[end] = std::move(pieces[i]);
    if (both) pieces[end] += pieces[++i];
  }
  pieces.resize(end);
}

inline std::vector<Learned> learn_merges(std::vector<Counted> words, int64_t merges) {
  std::vector<Learned> learned;
  while (std::ssize(learned) < merges) {
    std::map<Pair, int64_t> pairs;
    for (const Counted& word : words)
      for (size_t i = 0; i + 1 < word.pieces.size(); ++i) pairs[{word.pieces[i], word.pieces[i + 1]}] += word.count;
    if (pairs.empty()) break;
    // Of equally frequent pairs, the last in the order of their letters.
    const auto best = std::ranges::max_element(
        pairs, [](const auto& a, const auto& b) { return std::tie(a.second, a.first) < std::tie(b.second, b.first); });
    if (best->second < 2) break;
    learned.push_back({best->first, best->second});
    for (Counted& word : words) join_all(word.pieces, best->first);
  }
  return learned;
}

// The first `merges` of what was learned, applied to a line.
inline Pieces pieces_of(const std::string& line, const std::vector<Learned>& learned, size_t merges) {
  Pieces all;
  for (const std::string& word : words_of(line)) {
    Pieces pieces = spelled(word);
    for (size_t m = 0; m < std::min(merges, learned.size()); ++m) join_all(pieces, learned[m].pair);
    all.insert(all.end(), pieces.begin(), pieces.end());
  }
  return all;
}

// How many of the first merges are not those of the library.
inline int64_t unlike_library(const std::vector<Learned>& learned, const std::vector<std::string>& lines) {
  const text::Bpe bpe = text::Bpe::learn(
      counted(lines), {.merges = std::ssize(learned), .min_frequency = 2, .style = text::BpeStyle::begin_of_word});
  const std::vector<std::string> theirs = bpe.to_lines();  // after a line for the style: "left right"
  int64_t unlike = 0;
  for (size_t m = 0; m < learned.size(); ++m)
    unlike += m + 1 >= theirs.size() || theirs[m + 1] != learned[m].pair.first + " " + learned[m].pair.second;
  return unlike;
}

}  // namespace from_text
