// Segmenting words into pieces, joining the pieces, and the file of merges.
#include "nn/text/bpe.h"

#include <fmt/format.h>

#include "nn/text/bpe_symbols.h"
#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

constexpr size_t most_remembered = size_t{1} << 20;  // words
constexpr size_t longest_remembered = 1000;          // bytes
constexpr std::string_view end_header = "#version: 0.2", begin_header = "#version: heed 1, begin of word";

}  // namespace

int64_t Bpe::id_of(const std::string& symbol) {
  return ids_.try_emplace(symbol, static_cast<int64_t>(ids_.size())).first->second;
}

void Bpe::append(const std::string& left, const std::string& right) {
  int64_t rank = merges();
  merges_.push_back(left + " " + right);
  // A file of subword-nmt may contain a merge that would make join ambiguous. It is never applied, but kept, so that
  // the file does not change when it is written again.
  if (!may_merge(left, right, style_)) return;
  int64_t l = id_of(left), r = id_of(right);
  merge_of_.try_emplace(pair_key(l, r), Merge{.rank = rank, .whole = id_of(left + right)});
}

std::vector<std::string> Bpe::pieces_of(const std::string& word) const {
  std::vector<std::string> first = first_symbols(word, style_);
  std::vector<MergedSymbol> symbols(first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    auto found = ids_.find(first[i]);
    symbols[i] = {found == ids_.end() ? -1 : found->second, first[i].size(), i - 1, i + 1};
  }
  merge_symbols(symbols, MergeOrder::one_rank_at_a_time, [this](int64_t left, int64_t right) {
    auto found = merge_of_.find(pair_key(left, right));
    return found == merge_of_.end() ? nullptr : &found->second;
  });
  // Joined in order, the pieces are the word with its mark before or after it.
  std::string marked = style_ == BpeStyle::begin_of_word ? std::string(begin_mark) += word : word;
  std::vector<std::string> pieces;
  for (size_t i = 0, at = 0; i < symbols.size(); at += symbols[i].bytes, i = symbols[i].right) {
    // The last symbol also counts the bytes of </w>, which are beyond the end of the word.
    std::string piece = marked.substr(at, symbols[i].bytes);
    if (style_ == BpeStyle::end_of_word && symbols[i].right < symbols.size()) piece += continues_mark;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::vector<std::string> Bpe::segment(const std::vector<std::string>& tokens) const {
  std::vector<std::string> pieces;
  std::lock_guard lock(remembered_.mutex);
  auto& words = remembered_.words;
  for (const std::string& token : tokens) {
    if (token.empty()) throw ValueError("bpe: a token must not be empty; got \"\"");
    if (token.size() > longest_remembered) {
      for (std::string& piece : pieces_of(token)) pieces.push_back(std::move(piece));
      continue;
    }
    auto found = words.find(token);
    if (found == words.end()) {
      if (words.size() >= most_remembered) words.clear();
      found = words.emplace(token, pieces_of(token)).first;
    }
    pieces.insert(pieces.end(), found->second.begin(), found->second.end());
  }
  return pieces;
}

std::vector<std::string> Bpe::join(const std::vector<std::string>& pieces) const {
  std::vector<std::string> tokens;
  std::string open;
  auto close = [&] {
    if (!open.empty()) tokens.push_back(std::move(open));
    open.clear();
  };
  for (std::string_view piece : pieces) {
    if (style_ == BpeStyle::end_of_word) {
      bool continues = piece.ends_with(continues_mark);
      open += continues ? piece.substr(0, piece.size() - continues_mark.size()) : piece;
      if (!continues) close();
    } else {
      bool begins = piece.starts_with(begin_mark);
      if (begins) close();
      open += begins ? piece.substr(begin_mark.size()) : piece;
    }
  }
  close();
  return tokens;
}

std::vector<std::string> Bpe::to_lines() const {
  std::vector<std::string> lines{std::string(style_ == BpeStyle::end_of_word ? end_header : begin_header)};
  lines.insert(lines.end(), merges_.begin(), merges_.end());
  return lines;
}

Bpe Bpe::from_lines(const std::vector<std::string>& lines) {
  if (lines.empty() || (lines[0] != end_header && lines[0] != begin_header))
    throw IoError(fmt::format("load bpe: line 1 must be {} or {}; got {}", in_quotes(end_header),
                              in_quotes(begin_header), lines.empty() ? "no line" : in_quotes(lines[0])));
  Bpe bpe(lines[0] == end_header ? BpeStyle::end_of_word : BpeStyle::begin_of_word);
  for (size_t i = 1; i < lines.size(); ++i) {
    size_t space = lines[i].find(' ');
    std::string left = lines[i].substr(0, space), right = space == std::string::npos ? "" : lines[i].substr(space + 1);
    if (left.empty() || right.empty() || !plain(left) || !plain(right))
      throw IoError(
          fmt::format("load bpe: each line must be two symbols in UTF-8 with a space between; got {} in line {}",
                      in_quotes(lines[i]), i + 1));
    bpe.append(left, right);
  }
  return bpe;
}

}  // namespace heed::text
