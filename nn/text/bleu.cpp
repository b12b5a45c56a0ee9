// The regular expressions of mteval-v13a written as loops, clipped n-gram counts, and the score.
#include "nn/text/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }

// True for ASCII punctuation and symbols other than ' , - . and for the space, which is then surrounded by more spaces;
// the extra spaces are removed later.
bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Each rule reads the text from left to right and uses each character in one match at most, like the substitution of a
// regular expression. In "a.." the first full stop is matched together with the a, so no unused character
// is left before the second.
std::string separate_symbols(std::string_view text) {  // ([symbol]) -> " \1 "
  std::string out;
  for (char c : text) {
    if (is_symbol(c))
      out += {' ', c, ' '};
    else
      out += c;
  }
  return out;
}

std::string separate_stops_after_nondigits(std::string_view text) {  // ([^0-9])([.,]) -> "\1 \2 "
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (!is_digit(text[i]) && i + 1 < text.size() && is_stop(text[i + 1])) out += {' ', text[++i], ' '};
  }
  return out;
}

std::string separate_stops_before_nondigits(std::string_view text) {  // ([.,])([^0-9]) -> " \1 \2"
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_stop(text[i]) && i + 1 < text.size() && !is_digit(text[i + 1])) {
      out += {' ', text[i], ' ', text[i + 1]};
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string separate_dashes_after_digits(std::string_view text) {  // ([0-9])(-) -> "\1 \2 "
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (is_digit(text[i]) && i + 1 < text.size() && text[i + 1] == '-') out += {' ', text[++i], ' '};
  }
  return out;
}

// The tokens of a line, joined by single spaces, so that an n-gram is a substring.
struct Line {
  std::string text;
  std::vector<std::pair<size_t, size_t>> tokens;  // [begin, end) in bytes
};

Line split_line(std::string_view raw) {
  Line line;
  for (size_t at = 0; at < raw.size();) {
    size_t begin = at;
    if (is_space(next(raw, at))) continue;
    for (size_t end = at; at < raw.size() && !is_space(next(raw, end));) at = end;
    if (!line.text.empty()) line.text += ' ';
    size_t first = line.text.size();
    line.text += raw.substr(begin, at - begin);
    line.tokens.emplace_back(first, line.text.size());
  }
  return line;
}

using Counts = std::unordered_map<std::string_view, int64_t>;

Counts count_ngrams(const Line& line, size_t n) {
  Counts counts;
  for (size_t i = 0; i + n <= line.tokens.size(); ++i) {
    size_t begin = line.tokens[i].first, end = line.tokens[i + n - 1].second;
    ++counts[std::string_view(line.text).substr(begin, end - begin)];
  }
  return counts;
}

Line prepared(const std::string& text, BleuOptions options) {
  std::string cased = options.lowercase ? lower(text) : text;
  return split_line(options.tokens == BleuTokens::v13a ? tokenize_13a(cased) : cased);
}

}  // namespace

std::string tokenize_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  text = separate_symbols(" " + text + " ");
  text = separate_stops_after_nondigits(text);
  text = separate_stops_before_nondigits(text);
  text = separate_dashes_after_digits(text);
  return split_line(text).text;
}

BleuTokens bleu_tokens_from_name(std::string_view name) {
  if (name == "none") return BleuTokens::none;
  if (name == "13a") return BleuTokens::v13a;
  throw InputError(fmt::format("bleu: the tokenisation must be none or 13a; got {}", in_quotes(name)));
}

BleuScore bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
               BleuOptions options) {
  if (hypotheses.size() != references.size() || hypotheses.empty())
    throw InputError(
        fmt::format("bleu: hypotheses and references must be equal in number, and at least one; got {} and {}",
                    hypotheses.size(), references.size()));
  BleuScore score;
  for (size_t s = 0; s < hypotheses.size(); ++s) {
    Line hypothesis = prepared(hypotheses[s], options), reference = prepared(references[s], options);
    score.hypothesis_length += static_cast<int64_t>(hypothesis.tokens.size());
    score.reference_length += static_cast<int64_t>(reference.tokens.size());
    for (size_t n = 1; n <= 4; ++n) {
      Counts wanted = count_ngrams(reference, n);
      for (const auto& [ngram, count] : count_ngrams(hypothesis, n)) {
        score.totals[n - 1] += count;
        auto found = wanted.find(ngram);
        if (found != wanted.end()) score.matches[n - 1] += std::min(count, found->second);
      }
    }
  }
  double c = static_cast<double>(score.hypothesis_length), r = static_cast<double>(score.reference_length);
  score.brevity_penalty = c >= r ? 1.0 : c > 0 ? std::exp(1.0 - r / c) : 0.0;
  if (score.matches[0] == 0) return score;  // no word in common, so there is nothing to smooth
  double smoothing = 1.0, log_sum = 0.0;
  for (size_t n = 0; n < 4; ++n) {
    if (score.totals[n] == 0) return score;  // there is no n-gram of this order, so the product is 0
    double matches = static_cast<double>(score.matches[n]);
    if (score.matches[n] == 0) matches = 1.0 / (smoothing *= 2.0);
    score.precisions[n] = 100.0 * matches / static_cast<double>(score.totals[n]);
    log_sum += std::log(score.precisions[n]);
  }
  score.bleu = std::min(100.0, score.brevity_penalty * std::exp(log_sum / 4.0));
  return score;
}

}  // namespace heed::text
