// Both tokenisers. `words` reads the text code point by code point. A run of letters and digits is a word. A connector
// between two of them (hyphen, apostrophe, full stop) is part of the word. Everything else is punctuation, one mark per
// token.
#include "nn/text/tokenizer.h"

#include <fmt/format.h>

#include <initializer_list>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

// Replaces the typographic variants of a character by one standard character.
void append_plain(std::u32string& out, char32_t c) {
  switch (c) {
    case U'\u2018':
    case U'\u2019':
    case U'\u02BC':
    case U'\u00B4':
      out += U'\'';
      return;
    case U'\u201C':
    case U'\u201D':
    case U'\u201E':
    case U'\u201F':
      out += U'"';
      return;
    case U'\u2010':
    case U'\u2011':
      out += U'-';
      return;
    case U'\u2026':
      out += U"...";
      return;
    default:
      if (kind_of(c) == CharKind::space)
        out += U' ';
      else if (kind_of(c) != CharKind::ignorable)
        out += c;
  }
}

std::u32string normalised(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  std::string spelled = nfc(lower(text));
  bool dropped = false;
  for (size_t at = 0; at < spelled.size();) {
    size_t before = result.size();
    append_plain(result, next(spelled, at));
    dropped = dropped || result.size() == before;
  }
  // Dropping an invisible character can make two others adjacent (z, soft hyphen, accent), so compose them again.
  return dropped ? code_points(nfc(to_utf8(result))) : result;
}

bool is_digit(char32_t c) { return kind_of(c) == CharKind::digit; }
bool in_word(char32_t c) {
  return kind_of(c) == CharKind::letter || is_digit(c) || kind_of(c) == CharKind::mark || c == U'_';
}
bool begins_word(char32_t c) { return in_word(c) && kind_of(c) != CharKind::mark; }

// True if the punctuation mark c between `before` and `after` is part of the word.
bool connects(char32_t before, char32_t c, char32_t after) {
  if (c == U'-' || c == U'.' || c == U'@') return begins_word(after);      // well-known, 3.50, a.m, heed.org
  if (c == U'&') return kind_of(after) == CharKind::letter;                // r&b
  if (c == U',' || c == U':') return is_digit(before) && is_digit(after);  // 3,500 and 10:30
  return false;
}

// True for words that lose their last vowel before another vowel: those of one letter (l', d', j', ...), and "que" with
// its compounds. quelqu'un and presqu'île are single words and stay whole. So does aujourd'hui, since "aujourd" does
// not end with "qu".
bool elides(std::u32string_view word) {
  if (word.size() == 1) return std::u32string_view(U"cdjlmnst").find(word[0]) != std::u32string_view::npos;
  return word.ends_with(U"qu") && word != U"quelqu" && word != U"presqu";
}

// True for abbreviations such as p.m and u.s.a: single letters with full stops between them. A full stop that follows
// is part of the abbreviation.
bool is_initials(std::u32string_view word) {
  if (word.size() < 3 || word.size() % 2 == 0) return false;
  for (size_t i = 0; i < word.size(); ++i)
    if (i % 2 == 1 ? word[i] != U'.' : kind_of(word[i]) != CharKind::letter) return false;
  return true;
}

// The end of the word that begins at `from`. An apostrophe ends an elided word (l'). Between other letters it is part
// of the word (didn't, o'clock). At the end of a word it is part of it too (parents'), unless a single quote is open,
// which it then closes.
size_t word_end(std::u32string_view text, size_t from, bool quote_open) {
  size_t at = from + 1;
  for (; at < text.size(); ++at) {
    char32_t c = text[at], before = text[at - 1], after = at + 1 < text.size() ? text[at + 1] : U' ';
    if (in_word(c)) continue;
    std::u32string_view word = text.substr(from, at - from);
    if (c == U'\'') {
      if (begins_word(after)) {
        if (elides(word)) return at + 1;
        continue;
      }
      return !quote_open && kind_of(before) == CharKind::letter ? at + 1 : at;
    }
    if (!connects(before, c, after)) return c == U'.' && is_initials(word) ? at + 1 : at;
  }
  return at;
}

// `quote_open` says whether a single quote is open: before the text on entry, after the text on return.
std::vector<std::string> split_words(std::string_view raw, bool& quote_open) {
  std::u32string text = normalised(raw);
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == U' ') {
      at = end;
      continue;
    }
    if (begins_word(text[at])) {
      end = word_end(text, at, quote_open);
    } else if (text[at] == U'.' || text[at] == U'-') {
      while (end < text.size() && text[end] == text[at]) ++end;  // "..." and "--" are one token
    } else {
      if (text[at] == U'\'') quote_open = !quote_open;
      end = cluster_end(text, at);
    }
    tokens.push_back(to_utf8(std::u32string_view(text).substr(at, end - at)));
    at = end;
  }
  return tokens;
}

bool one_of(std::string_view token, std::initializer_list<std::string_view> set) {
  for (std::string_view candidate : set)
    if (token == candidate) return true;
  return false;
}

// The sides on which a token of `words` is written without a space.
struct Glue {
  bool left = false, right = false;
};

Glue glue_of(std::string_view token, std::string_view before, std::string_view after, Spacing spacing,
             bool closes_quote) {
  bool tight = spacing == Spacing::tight;
  if (one_of(token, {",", ")", "]", "}", "°"})) return {.left = true};
  if (token[0] == '.') return {.left = true};
  if (one_of(token, {"?", "!", ":", ";"})) return {.left = tight || one_of(before, {"?", "!"})};
  if (one_of(token, {"%", "»"})) return {.left = tight};
  if (token == "«") return {.right = tight};
  if (one_of(token, {"(", "[", "{", "¿", "¡", "#"})) return {.right = true};
  if (one_of(token, {"$", "£", "€"})) return {.right = tight && !after.empty() && after[0] >= '0' && after[0] <= '9'};
  if (token == "/") return {.left = true, .right = true};
  if (one_of(token, {"\"", "'"})) return {.left = closes_quote, .right = !closes_quote};
  return {.right = is_elision(token)};
}

// True if split still separates `before` and `token` when there is no space between them, and `tail` (which may be
// empty) follows without a space too. It does not separate p.m from a full stop, a full stop from another one, or a
// bracket from an isolated accent. Within single quotes the tail matters: l' is a token only if a letter follows at
// once; otherwise its apostrophe closes the quotes. Tokens that this tokeniser never makes, such as <unk>, count as the
// tokens that it splits them into.
bool separable(const std::string& before, const std::string& token, const std::string& tail, bool quote_open) {
  bool open_together = quote_open;
  const std::vector<std::string> together = split_words(before + token + tail, open_together);
  if (together.size() >= 2 && together[0] == before && together[1] == token) return true;
  std::vector<std::string> apart = split_words(before, quote_open);
  for (std::string& word : split_words(token + tail, quote_open)) apart.push_back(std::move(word));
  return together == apart;
}

std::string join_words(const std::vector<std::string>& tokens, Spacing spacing) {
  std::string result;
  bool single_open = false, double_open = false, glued = true;  // glued: no space before the next token
  bool open_before = false;                                     // a single quote was open before the last token
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string &token = tokens[i], after = i + 1 < tokens.size() ? tokens[i + 1] : "";
    if (token.empty()) continue;
    const bool open_here = single_open;
    bool& open = token[0] == '\'' ? single_open : double_open;
    Glue glue = glue_of(token, i > 0 ? tokens[i - 1] : "", after, spacing, open);
    if (token[0] == '\'' || token == "\"") open = !open;
    bool together = glued || glue.left;
    if (i > 0 && !(together && separable(tokens[i - 1], token, glue.right ? after : "", open_before))) result += ' ';
    result += token;
    glued = glue.right;
    open_before = open_here;
  }
  return result;
}

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::vector<std::string> split_space(std::string_view text) {
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && !is_ascii_space(text[end])) ++end;
    if (end > at) tokens.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return tokens;
}

std::string join_space(const std::vector<std::string>& tokens) {
  std::string result;
  for (size_t i = 0; i < tokens.size(); ++i) result += (i ? " " : "") + tokens[i];
  return result;
}

}  // namespace

std::vector<std::string> Tokenizer::split(std::string_view text) const {
  if (auto bad = invalid_utf8(text))
    throw InputError(fmt::format("tokenize: text must be UTF-8; got byte 0x{:02X} at offset {}",
                                 static_cast<unsigned char>(text[*bad]), *bad));
  bool quote_open = false;
  return kind == Kind::space ? split_space(text) : split_words(text, quote_open);
}

std::string Tokenizer::spelled(std::string_view text) const {
  return kind == Kind::space ? std::string(text) : to_utf8(normalised(text));
}

std::string Tokenizer::join(const std::vector<std::string>& tokens) const {
  return kind == Kind::space ? join_space(tokens) : join_words(tokens, spacing);
}

std::string Tokenizer::name() const {
  if (kind == Kind::space) return "space";
  return spacing == Spacing::tight ? "words" : "words-spaced";
}

Tokenizer Tokenizer::from_name(std::string_view name) {
  if (name == "space") return {.kind = Kind::space};
  if (name == "words") return {.kind = Kind::words};
  if (name == "words-spaced") return {.kind = Kind::words, .spacing = Spacing::spaced};
  throw InputError(fmt::format("tokenizer: the name must be space, words or words-spaced; got {}", in_quotes(name)));
}

Spacing observed_spacing(const std::vector<std::string>& lines) {
  int64_t spaced = 0, tight = 0;
  for (const std::string& line : lines) {
    char32_t before = U' ';
    for (size_t at = 0; at < line.size();) {
      char32_t c = next(line, at);
      if (at > 1 && (c == U'?' || c == U'!' || c == U':' || c == U';')) ++(is_space(before) ? spaced : tight);
      before = c;
    }
  }
  return spaced > tight ? Spacing::spaced : Spacing::tight;
}

bool is_elision(std::string_view token) {
  return token.ends_with('\'') && elides(code_points(token.substr(0, token.size() - 1)));
}

}  // namespace heed::text
