// Counting, look-up, and the line format of checkpoints. Searches by spelling are in spelling.cpp.
#include "nn/text/vocabulary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

constexpr std::array<std::string_view, 4> special_tokens = {"<pad>", "<unk>", "<s>", "</s>"};

constexpr std::string_view special_line = "special ";  // the beginning of a line for one of more_specials

WordCounts counts_of(const std::vector<std::vector<std::string>>& sentences) {
  WordCounts words;
  for (const std::vector<std::string>& sentence : sentences) words.add(sentence);
  return words;
}

}  // namespace

void WordCounts::add(const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) ++counts_[token];
}

Vocabulary::Vocabulary() {
  for (std::string_view token : special_tokens) append_special(std::string(token));
}

void Vocabulary::append_special(const std::string& token) {
  tokens_.push_back(token);
  counts_.push_back(0);
  first_word_ = size();
}

bool Vocabulary::is_special(std::string_view token) const {
  auto words = tokens_.begin() + first_word_;
  return std::find(tokens_.begin(), words, token) != words;
}

int64_t Vocabulary::special(std::string_view name) const {
  for (int64_t id = 0; id < first_word_; ++id)
    if (tokens_[static_cast<size_t>(id)] == name) return id;
  throw ValueError(fmt::format("vocabulary: a special must be one of {}; got {}",
                               fmt::join(tokens_.begin(), tokens_.begin() + first_word_, " "), in_quotes(name)));
}

Vocabulary::Vocabulary(const std::vector<std::vector<std::string>>& sentences, const VocabularyOptions& options)
    : Vocabulary(counts_of(sentences), options) {}

Vocabulary::Vocabulary(const WordCounts& words, const VocabularyOptions& options) : Vocabulary() {
  if (options.min_frequency < 1 || options.max_size < 0)
    throw ValueError(fmt::format("vocabulary: min_frequency must be at least 1 and max_size at least 0; got {} and {}",
                                 options.min_frequency, options.max_size));
  for (const std::string& token : options.more_specials) {
    if (is_special(token) || token.find_first_not_of(' ') == std::string::npos ||
        token.find_first_of("\r\n") != std::string::npos || invalid_utf8(token))
      throw ValueError(fmt::format("vocabulary: specials must be distinct, not blank, of one line and in UTF-8; got {}",
                                   in_quotes(token)));
    append_special(token);
  }
  std::vector<const StringCounts::value_type*> sorted;
  for (const auto& word : words.counts()) {
    if (word.first.empty() || word.first.find_first_of("\r\n") != std::string::npos || invalid_utf8(word.first))
      throw ValueError(fmt::format("vocabulary: a token must be in UTF-8, not empty and of one line; got {}",
                                   in_quotes(word.first)));
    if (is_special(word.first) || word.second < options.min_frequency)
      counts_[unk] += word.second;
    else
      sorted.push_back(&word);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return a->second != b->second ? a->second > b->second : a->first < b->first;
  });
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (options.max_size > 0 && static_cast<int64_t>(i) >= options.max_size)
      counts_[unk] += sorted[i]->second;
    else
      append(sorted[i]->first, sorted[i]->second);
  }
}

void Vocabulary::append(std::string token, int64_t count) {
  ids_.emplace(token, size());
  tokens_.push_back(std::move(token));
  counts_.push_back(count);
}

int64_t Vocabulary::id(std::string_view token) const {
  auto found = ids_.find(token);
  return found == ids_.end() ? unk : found->second;
}

bool Vocabulary::contains(std::string_view token) const { return ids_.find(token) != ids_.end(); }

const std::string& Vocabulary::token(int64_t id) const {
  if (id < 0 || id >= size())
    throw IndexError(fmt::format("vocabulary: an id must lie in [0, {}); got {}", size(), id));
  return tokens_[static_cast<size_t>(id)];
}

int64_t Vocabulary::count(int64_t id) const {
  token(id);  // checks the range
  return counts_[static_cast<size_t>(id)];
}

std::vector<int64_t> Vocabulary::encode(const std::vector<std::string>& tokens, EncodeOptions options) const {
  std::vector<int64_t> ids;
  ids.reserve(tokens.size() + 1);
  for (const std::string& token : tokens) ids.push_back(id(token));
  if (options.append_stop) ids.push_back(stop);
  return ids;
}

std::vector<std::string> Vocabulary::decode(std::span<const int64_t> ids) const {
  std::vector<std::string> tokens;
  for (int64_t id : ids) {
    if (id == stop) break;
    if (id != pad && id != start) tokens.push_back(token(id));
  }
  return tokens;
}

std::vector<std::string> Vocabulary::to_lines() const {
  std::vector<std::string> lines;
  lines.reserve(tokens_.size());
  for (size_t i = 0; i < tokens_.size(); ++i) {
    bool counted = i < special_tokens.size() || std::cmp_greater_equal(i, first_word_);
    lines.push_back(counted ? fmt::format("{} {}", counts_[i], tokens_[i]) : std::string(special_line) + tokens_[i]);
  }
  return lines;
}

Vocabulary Vocabulary::from_lines(const std::vector<std::string>& lines) {
  Vocabulary result;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    bool more = i >= special_tokens.size() && result.size() == result.first_word() && line.starts_with(special_line) &&
                line.size() > special_line.size() && !invalid_utf8(line) &&
                line.find_first_of("\r\n") == std::string::npos;
    if (more && !result.is_special(line.substr(special_line.size()))) {
      result.append_special(line.substr(special_line.size()));
      continue;
    }
    int64_t count = 0;
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count);
    size_t digits = static_cast<size_t>(end - line.data());
    if (error != std::errc() || count < 0 || line.size() < digits + 2 || line[digits] != ' ' ||
        line.find_first_of("\r\n") != std::string::npos || invalid_utf8(line))
      throw IoError(
          fmt::format("load vocabulary: each line must be a count, a space and a token in UTF-8; got {} in line {}",
                      in_quotes(line), i + 1));
    std::string token = line.substr(digits + 1);
    if (i < special_tokens.size()) {
      if (token != special_tokens[i])
        throw IoError(
            fmt::format("load vocabulary: line {} must hold {}; got {}", i + 1, special_tokens[i], in_quotes(token)));
      result.counts_[i] = count;
      continue;
    }
    if (result.is_special(token) || result.contains(token))
      throw IoError(
          fmt::format("load vocabulary: tokens must be distinct; got {} again in line {}", in_quotes(token), i + 1));
    result.append(std::move(token), count);
  }
  if (lines.size() < special_tokens.size())
    throw IoError(fmt::format("load vocabulary: it must begin with <pad> <unk> <s> </s>; got {} line{}", lines.size(),
                              lines.size() == 1 ? "" : "s"));
  return result;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace heed::text
