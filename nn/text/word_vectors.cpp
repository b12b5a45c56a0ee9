#include "nn/text/word_vectors.h"

#include <fmt/format.h>

#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "nn/io/file.h"
#include "nn/text/reading.h"
#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {
namespace {

bool is_blank_byte(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'; }

// The fields between white space, as views of the line.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t at = 0; at < line.size();) {
    size_t end = at;
    while (end < line.size() && !is_blank_byte(line[end])) ++end;
    if (end > at) fields.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

bool parse(std::string_view text, int64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Parses a finite decimal number. (Some C++ libraries have no std::from_chars for float; strtof depends on the locale.)
bool parse(std::string_view text, float& value) {
  if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
  std::string number(text);
  if (size_t point = number.find('.'); point != std::string::npos)
    number.replace(point, 1, std::localeconv()->decimal_point);
  char* end = nullptr;
  value = std::strtof(number.c_str(), &end);
  return end == number.c_str() + number.size() && std::isfinite(value);
}

}  // namespace

WordVectors read_word_vectors(const std::string& path) {
  std::vector<std::string> lines = read_lines(path);
  std::string name = in_quotes(path, 4096);
  int64_t V = 0, D = 0;
  std::vector<std::string_view> sizes = fields_of(lines[0]);
  if (sizes.size() != 2 || !parse(sizes[0], V) || !parse(sizes[1], D) || V < 1 || D < 1)
    throw IoError(
        fmt::format("word vectors: the first line must be two numbers, how many words and how wide; got {} in {}",
                    in_quotes(lines[0]), name));
  WordVectors table;
  std::vector<float> values;
  std::unordered_set<std::string> seen;
  for (size_t l = 1; l < lines.size(); ++l) {
    std::vector<std::string_view> fields = fields_of(lines[l]);
    bool right = !fields.empty() && std::cmp_equal(fields.size() - 1, D);
    for (size_t i = 1; right && i < fields.size(); ++i) {
      float value = 0;
      right = parse(fields[i], value);
      values.push_back(value);
    }
    if (!right)
      throw IoError(fmt::format("word vectors: each line must be a word and {} number{}; got {} in line {} of {}", D,
                                D == 1 ? "" : "s", in_quotes(lines[l]), l + 1, name));
    if (!seen.emplace(fields[0]).second)
      throw IoError(fmt::format("word vectors: a word must come once; got {} again in line {} of {}",
                                in_quotes(fields[0]), l + 1, name));
    table.words.emplace_back(fields[0]);
  }
  if (std::cmp_not_equal(table.words.size(), V))
    throw IoError(fmt::format("word vectors: there must be as many words as the first line says, {}; got {} in {}", V,
                              table.words.size(), name));
  table.vectors = Tensor::from(values, {V, D});
  return table;
}

void write_word_vectors(const std::string& path, const WordVectors& table) {
  const Tensor& t = table.vectors;
  if (!t.defined() || t.rank() != 2 || std::cmp_not_equal(t.size(0), table.words.size()) || t.count() == 0)
    throw ShapeError(fmt::format("word vectors: needs a row of numbers for each word; got {} words and {}",
                                 table.words.size(), t.defined() ? to_string(t.shape()) : "no tensor"));
  Tensor values = t.to(DType::f32).contiguous();
  const float* next = values.data<float>();
  std::unordered_set<std::string_view> seen;
  std::string text = fmt::format("{} {}\n", t.size(0), t.size(1));
  for (const std::string& word : table.words) {
    std::vector<std::string_view> fields = fields_of(word);
    if (fields.size() != 1 || fields[0].size() != word.size() || word.find('\0') != word.npos || invalid_utf8(word) ||
        !seen.insert(word).second)
      throw ValueError(
          fmt::format("word vectors: words must be distinct, without white space and NUL bytes, in UTF-8; got {}",
                      in_quotes(word)));
    text += word;
    for (int64_t d = 0; d < t.size(1); ++d, ++next) {
      if (!std::isfinite(*next))
        throw ValueError(fmt::format("word vectors: numbers must be finite; got {} for {}", *next, in_quotes(word)));
      fmt::format_to(std::back_inserter(text), " {}", *next);
    }
    text += '\n';
  }
  io::atomic_write(path, text);
}

}  // namespace heed::text
