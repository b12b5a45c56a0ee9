// JSON read in place, from a writer whom nobody knows: the caller says what it wants next, and anything else is an
// IoError. Nothing is kept but what is asked for, nothing nests unless the caller nests: hostile text costs a sentence.
//
//   scan.expect('{');  do { std::string key = scan.string();  scan.expect(':');  ... } while (scan.next('}'));
//
// For a small fixed form, such as the header of a safetensors file; io::parse reads JSON of any form into a tree.
// Grammar: RFC 8259.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed::io {

bool is_utf8(std::string_view text);  // shortest forms, no surrogates, at most U+10FFFF

// A text in quotes for a sentence: escaped, and cut where it is long.
std::string shown(std::string_view text);

class JsonScanner {
 public:
  // The sentences begin with `what`, and `text` must outlive the scanner.
  JsonScanner(std::string_view text, const std::string& what) : text_(text), what_(what) {}

  char peek();                // the next character behind white space; 0 at the end
  void expect(char c);        // ... and must be c
  bool next(char close);      // behind an element: true at a comma, false at `close`
  bool empty_or(char close);  // behind an opening bracket: true where `close` follows at once
  std::string string();       // with the escapes read
  void expect_end();

  // A whole number of at least 0 that an int64_t holds, written in digits alone. Otherwise the reason, as it stands
  // there, in `other`: "-1", "1.0", "007", "a string".
  std::optional<int64_t> whole_number(std::string& other);
  std::string kind();  // of the value that comes next: "a string", "an array", ...: for sentences

 private:
  [[noreturn]] void refuse(const char* wanted);
  unsigned hex4();
  std::string_view text_;
  const std::string& what_;
  size_t at_ = 0;
};

}  // namespace heed::io
