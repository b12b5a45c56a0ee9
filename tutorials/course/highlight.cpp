// Colours of code: comments, strings and keywords, found from left to right. It is no compiler: a name that is a
// keyword is one everywhere, which is what readers expect.
#include <algorithm>
#include <array>
#include <string_view>

#include "tutorials/course/excerpt.h"
#include "tutorials/course/html_text.h"

namespace heed::course {

namespace {

constexpr std::array cpp_words{
    "alignas",   "auto",      "bool",     "break",     "case",    "catch",    "char",    "class",    "const",
    "consteval", "constexpr", "continue", "default",   "delete",  "do",       "double",  "else",     "enum",
    "explicit",  "extern",    "false",    "final",     "float",   "for",      "friend",  "if",       "inline",
    "int",       "int64_t",   "long",     "namespace", "new",     "noexcept", "nullptr", "operator", "override",
    "private",   "public",    "return",   "short",     "signed",  "sizeof",   "static",  "struct",   "switch",
    "template",  "this",      "throw",    "true",      "try",     "typename", "union",   "unsigned", "using",
    "virtual",   "void",      "while",    "requires",  "concept", "mutable"};
constexpr std::array python_words{"and",    "as",   "assert", "break", "class", "continue", "def",  "del",
                                  "elif",   "else", "except", "False", "for",   "from",     "if",   "import",
                                  "in",     "is",   "lambda", "None",  "not",   "or",       "pass", "raise",
                                  "return", "True", "try",    "while", "with",  "yield"};
constexpr std::array js_words{"const", "let",   "var",  "function", "return", "if",   "else",  "for",   "of",  "in",
                              "new",   "class", "true", "false",    "null",   "this", "while", "throw", "try", "catch"};

struct Language {
  std::string_view line_comment;
  bool blocks = false;  // comments between /* and */
  std::string_view quotes;
};

bool in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string span(const char* kind, std::string_view text) {
  return "<span class=\"" + std::string(kind) + "\">" + report::escaped(std::string(text)) + "</span>";
}

bool keyword(const std::string& language, std::string_view word) {
  auto among = [&](const auto& list) { return std::find(list.begin(), list.end(), word) != list.end(); };
  return language == "cpp" ? among(cpp_words) : language == "python" ? among(python_words) : among(js_words);
}

// Where the string that begins at `at` ends: behind its closing quote, or at the end of the line.
std::size_t end_of_string(std::string_view code, std::size_t at) {
  std::size_t end = at + 1;
  while (end < code.size() && code[end] != code[at] && code[end] != '\n') end += code[end] == '\\' ? 2 : 1;
  return std::min(end + (end < code.size() && code[end] == code[at] ? 1 : 0), code.size());
}

}  // namespace

std::string language_of(const std::string& path) {
  auto ends = [&](std::string_view tail) {
    return path.size() >= tail.size() && std::string_view(path).substr(path.size() - tail.size()) == tail;
  };
  if (ends(".h") || ends(".cpp") || ends(".hpp")) return "cpp";
  if (ends(".py")) return "python";
  return ends(".js") || ends(".mjs") ? "js" : "";
}

std::string highlighted(const std::string& text, const std::string& named) {
  const std::string language = named == "c++" || named == "c" || named == "h" ? "cpp"
                               : named == "py"                                ? "python"
                                                                              : named;
  if (language != "cpp" && language != "python" && language != "js") return report::escaped(text);
  const Language rules = language == "python" ? Language{"#", false, "\"'"} : Language{"//", true, "\"'`"};
  std::string_view code = text;
  std::string html;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at + 1;
    if (code.substr(at, rules.line_comment.size()) == rules.line_comment) {
      end = std::min(code.find('\n', at), code.size());
      html += span("c", code.substr(at, end - at));
    } else if (rules.blocks && code.substr(at, 2) == "/*") {
      std::size_t close = code.find("*/", at + 2);
      end = close == std::string_view::npos ? code.size() : close + 2;
      html += span("c", code.substr(at, end - at));
    } else if (rules.quotes.find(code[at]) != std::string_view::npos) {
      end = end_of_string(code, at);
      html += span("s", code.substr(at, end - at));
    } else if (in_identifier(code[at])) {
      while (end < code.size() && (in_identifier(code[end]) || (code[end] == '\'' && language == "cpp"))) ++end;
      std::string_view word = code.substr(at, end - at);
      html += keyword(language, word) ? span("k", word) : report::escaped(std::string(word));
    } else {
      html += report::escaped(std::string(code.substr(at, 1)));
    }
    at = end;
  }
  return html;
}

}  // namespace heed::course
