// A unigram language model of pieces, learned in its simplest form: begin with far too many pieces, and take away those
// that the best cuts of the words use least.
//
// clang-format off
//   pieces     all parts of words of up to 10 letters, the ones that cover most text: 4 V of them
//   repeat     cut each word so that the product of p(piece) is largest (Viterbi)
//              p(piece) = how often the cuts use it / how many pieces they use
//              leave out the least used fifth, but never a single letter
//   until      V pieces are left
// clang-format on
//
// Kudo, "Subword regularization", ACL 2018, section 3.2, counts all cuts of a word, each with its probability, and
// leaves out the pieces without which the text would become least improbable. The cuts are those of the library's
// model, nn/tokenizers/unigram.cpp.
#pragma once

#include <cmath>
#include <map>
#include <set>

#include "nn/tokenizers/token_model.h"
#include "tutorials/34_tokens/texts.h"

namespace from_text {

namespace tokenizers = heed::tokenizers;

using Scored = std::vector<std::pair<std::string, double>>;  // pieces with the log of their probability

inline Scored first_pieces(const text::StringCounts& words, int64_t most) {
  std::map<std::string, int64_t> counts;
  std::set<std::string> letters;
  for (const auto& [word, n] : words) {
    const std::u32string w = text::code_points(word);
    for (size_t begin = 0; begin < w.size(); ++begin)
      for (size_t length = 1; length <= 10 && begin + length <= w.size(); ++length)
        counts[text::to_utf8(w.substr(begin, length))] += n;
  }
  std::vector<std::pair<int64_t, std::string>> order;  // minus the bytes that all occurrences cover
  Scored pieces;
  for (const auto& [piece, n] : counts)
    if (n >= 2) {
      if (letters_in(piece) == 1)
        pieces.emplace_back(piece, 0);
      else
        order.emplace_back(-n * std::ssize(piece), piece);
    }
  std::ranges::sort(order);
  for (const auto& [covered, piece] : order)
    if (std::ssize(pieces) < most) pieces.emplace_back(piece, 0);
  double all = 0;
  for (const auto& [piece, score] : pieces) all += static_cast<double>(counts[piece]);
  for (auto& [piece, score] : pieces) score = std::log(static_cast<double>(counts[piece]) / all);
  return pieces;
}

// words: with ▁ before the first letter. -> at most `most` pieces, or all letters if they are more
inline Scored learn_unigram(const text::StringCounts& words, int64_t most) {
  for (Scored pieces = first_pieces(words, 4 * most);;) {
    tokenizers::UnigramOptions options{.pieces = {{"<unk>", -100}}, .unknown = 0};
    options.pieces.insert(options.pieces.end(), pieces.begin(), pieces.end());
    const tokenizers::Model model = tokenizers::unigram(options);
    std::vector<double> used(pieces.size() + 1);
    double all = 0;
    for (const auto& [word, n] : words) {
      std::vector<tokenizers::Piece> cut;
      model->append_pieces(word, cut);
      for (const tokenizers::Piece& piece : cut)
        used[static_cast<size_t>(piece.id)] += static_cast<double>(n), all += static_cast<double>(n);
    }
    Scored kept;
    std::vector<std::pair<double, size_t>> order;  // pieces of several letters, the most used first
    auto keep = [&](size_t i) { kept.emplace_back(pieces[i].first, std::log(std::max(used[i + 1], 0.5) / all)); };
    for (size_t i = 0; i < pieces.size(); ++i)
      if (letters_in(pieces[i].first) == 1)
        keep(i);
      else
        order.emplace_back(-used[i + 1], i);
    std::ranges::sort(order);
    const auto goal = std::max(most, std::ssize(pieces) * 4 / 5);
    for (const auto& one : order)
      if (std::ssize(kept) < goal) keep(one.second);
    if (std::ssize(kept) == std::ssize(pieces)) return kept;
    pieces = std::move(kept);
  }
}

}  // namespace from_text
