// Reads JSON in place from an untrusted source. The caller says what it expects next, and anything else is an IoError.
// Only what the caller asks for is stored, and the scanner never recurses, so a hostile text can exhaust neither memory
// nor stack.
//
//   scan.expect('{');
//   do { std::string key = scan.string();  scan.expect(':');  ... } while (scan.next('}'));
//
// It is for a small fixed format, such as the header of a safetensors file; io::parse reads any JSON into a tree.
// Grammar: RFC 8259.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed::io {

bool is_utf8(std::string_view text);  // well-formed: no overlong sequences, no surrogates, nothing above U+10FFFF

// Text for an error message: in quotes, escaped as in JSON, and cut after 60 bytes.
std::string shown(std::string_view text);

class JsonScanner {
 public:
  // Error messages begin with `what`. `text` must outlive the scanner.
  JsonScanner(std::string_view text, const std::string& what) : text_(text), what_(what) {}

  char peek();                // the next character after white space; 0 at the end
  void expect(char c);        // consumes the next character, which must be c
  bool next(char close);      // after an element: true at a comma, false at `close`
  bool empty_or(char close);  // after an opening bracket: consumes `close` if it follows at once, and returns true
  std::string string();       // decodes the escapes
  void expect_end();

  // A non-negative integer that fits an int64_t, written with digits only and no leading zero. Otherwise nullopt, and
  // `other` says what was found: "-1", "1.0", "007", "a string".
  std::optional<int64_t> whole_number(std::string& other);
  std::string kind();  // kind of the next value, for error messages: "a string", "an array", ...

 private:
  [[noreturn]] void refuse(const char* wanted);
  unsigned hex4();
  std::string_view text_;
  const std::string& what_;
  size_t at_ = 0;
};

}  // namespace heed::io
