// A text while it is being normalised and cut, which remembers where each of its bytes comes from.
//
// clang-format off
//   input   C  a  f  é     ␣  Ⅱ          code points 0 .. 5
//   text    c  a  f  e  ◌́  ␣  I   I      lower case, NFKD
//   from    0  1  2  3  3  4  5   5      each a span: code points [begin, end) of the input
// clang-format on
//
// So a token of the changed text can say which letters of the user's text it stands for. A normalizer says what it did
// as a list of changes, one for each character that is left:
//
//   { c,  0}   c replaces the next character of the text
//   { c, -n}   c replaces the next character, and the n characters after that one are dropped
//   { c, +1}   c is new; it comes from where the character before it came from
//
// This is the convention of the `tokenizers` library, whose offsets are reproduced here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

struct Span {
  uint32_t begin = 0, end = 0;  // code points of the input
  bool operator==(const Span&) const = default;
};

struct Change {
  char32_t character;
  int64_t change;
};

// A stretch of bytes of a text, and whether a pattern matched it. A pattern returns stretches that cover the text.
struct Stretch {
  size_t begin, end;
  bool matched;
};
using Pattern = std::function<std::vector<Stretch>(std::string_view)>;

Pattern characters(bool (*wanted)(char32_t));  // each such character is a match of its own
Pattern literal(std::string text);             // every place where the text occurs

// What becomes of the matches when a text is cut at them, for "the-final--countdown" and "-":
enum class Behaviour {
  removed,        // the final countdown
  isolated,       // the - final - - countdown
  with_previous,  // the- final- - countdown
  with_next,      // the -final - -countdown
  contiguous      // the - final -- countdown
};

class AlignedText {
 public:
  AlignedText() = default;
  explicit AlignedText(std::string_view input);  // well-formed UTF-8

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  uint32_t begin() const { return begin_; }   // where this part of the input begins
  Span span(size_t begin, size_t end) const;  // of the bytes [begin, end)

  // These throw an InputError if the text becomes more than 64 times as long as the input was: a list of replacements
  // could double it again and again.
  void rewrite(const std::vector<Change>& changes, size_t dropped_first = 0);
  void keep_if(const std::function<bool(char32_t)>& wanted);
  void map(char32_t (*to)(char32_t));
  void prepend(std::string_view text);  // does nothing to an empty text
  void replace(const Pattern& pattern, std::string_view with);

  AlignedText part(size_t begin, size_t end) const;
  std::vector<AlignedText> split(const Pattern& pattern, Behaviour behaviour) const;  // no empty parts

 private:
  void become(std::string text, std::vector<Span> from);

  std::string text_;
  std::vector<Span> from_;  // for each byte of text_
  uint32_t begin_ = 0;
  size_t longest_ = 0;
};

}  // namespace heed::text
