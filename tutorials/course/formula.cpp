#include "tutorials/course/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "tutorials/course/html_text.h"
#include "tutorials/course/mathml.h"

namespace heed::course {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

class Plain {
 public:
  explicit Plain(std::string_view text, bool in_script = false) : text_(text), in_script_(in_script) {}

  std::string read() {
    std::string out;
    while (at_ < text_.size()) out += item();
    return out;
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : ' '; }
  bool begins(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  std::string item() {
    const char c = peek();
    if (is_letter(c)) return word();
    if (std::isdigit(static_cast<unsigned char>(c))) return run([](char d) { return std::isdigit(d) != 0; });
    if (c == '_' || c == '^') return script();
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> signs{{{"<=", "\\le "},
                                                                                          {">=", "\\ge "},
                                                                                          {"<-", "\\leftarrow "},
                                                                                          {"->", "\\to "},
                                                                                          {" . ", " \\cdot "},
                                                                                          {" ~ ", " \\sim "},
                                                                                          {"..", "\\ldots "},
                                                                                          {"*", "\\ast "},
                                                                                          {"{", "\\{"},
                                                                                          {"}", "\\}"},
                                                                                          {"~", "\\sim "}}};
    for (const auto& sign : signs) {
      if (!begins(sign.first)) continue;
      at_ += sign.first.size();
      return std::string(sign.second);
    }
    return std::string(1, text_[at_++]);
  }

  template <class Is>
  std::string run(Is is) {
    const size_t from = at_;
    while (at_ < text_.size() && is(text_[at_])) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  // What stands in brackets from here on, without them.
  std::string inside(bool in_script) {
    const char open = peek(), close = open == '(' ? ')' : '}';
    const size_t from = ++at_;
    for (int depth = 1; at_ < text_.size(); ++at_) {
      depth += (text_[at_] == open) - (text_[at_] == close);
      if (depth == 0) break;
    }
    const std::string_view held = text_.substr(from, at_ - from);
    at_ = std::min(at_ + 1, text_.size());
    return Plain(held, in_script).read();
  }

  // _ts, _(t - 1), _o,h; ^2, ^T, ^(-1/2)
  std::string script() {
    const char kind = text_[at_++];
    if (peek() == '(' || peek() == '{') return fmt::format("{}{{{}}}", kind, inside(true));
    std::string held = peek() == '-' ? std::string(1, text_[at_++]) : "";
    held += run([](char c) { return is_alnum(c) || c == '\''; });
    if (held.empty()) return kind == '_' ? "\\_" : "\\ast ";
    const bool is_word = is_name(held);
    while (kind == '_' && peek() == ',' && is_alnum(peek(1))) ++at_, held += "," + run(is_alnum);
    if (held == "T" && kind == '^') return "^{\\top}";
    const MathSymbol::Kind symbol = math_symbol(held).kind;
    if (symbol == MathSymbol::Kind::limits && peek() == '(') return fmt::format("^{{\\{}({})}}", held, inside(true));
    if (symbol == MathSymbol::Kind::letter) held = "\\" + held;
    if (is_word && held[0] != '\\') held = "\\text{" + held + "}";
    return fmt::format("{}{{{}}}", kind, held);
  }

  std::string word() {
    const size_t from = at_;
    std::string name = run(is_alnum);
    while (is_name(name) && peek() == '_' && is_name(next_word())) ++at_, name += "-" + run(is_alnum);
    while (name.size() > 1 && peek() == '-' && next_word().size() > 2) ++at_, name += "-" + run(is_alnum);
    const char next = peek();
    const bool is_called = next == '(' || next == '_' || next == '[' || next == '^';
    if (name == "sqrt" && next == '(') return "\\sqrt{" + inside(in_script_) + "}";
    if (name == "in" && (begins(" {") || begins(" ["))) return "\\in ";
    if (name == "mod") return "\\bmod ";
    std::string letters = name;
    const MathSymbol symbol = math_symbol(name);
    using Kind = MathSymbol::Kind;
    const bool is_one =
        is_letter(name[0]) && std::all_of(name.begin() + 1, name.end(), [](char c) { return !is_letter(c); });
    if (name == "sum" && next != '_' && !is_summed()) return words(from, name);
    if (symbol.kind == Kind::letter || symbol.kind == Kind::large || symbol.kind == Kind::function ||
        symbol.kind == Kind::limits) {
      letters = "\\" + name + " ";
    } else if (!is_one && is_called) {
      letters = "\\operatorname{" + name + "}";
    } else if (in_script_ && name.size() == 2) {  // indices: js
    } else if (!is_one || (name == "a" && is_article(from))) {
      return words(from, name);
    }
    if (peek() == '~') ++at_, letters = "\\tilde{" + letters + "}";
    if (peek() == '^' && std::string_view(" ^_*;,)=").find(peek(1)) != std::string_view::npos)
      ++at_, letters = "\\hat{" + letters + "}";
    return letters;
  }

  // "sum w h" is a sum, "they sum to 1" is a word.
  bool is_summed() const {
    const std::string_view next = next_word();
    const MathSymbol::Kind kind = math_symbol(std::string(next)).kind;
    return next.size() == 1 || (kind != MathSymbol::Kind::none && kind != MathSymbol::Kind::sign) ||
           peek(1 + next.size()) == '(';
  }

  // Words of at least three letters, so no index: one_hot(..), non_local_dot.
  static bool is_name(std::string_view word) {
    return word.size() > 2 && math_symbol(std::string(word)).kind == MathSymbol::Kind::none &&
           word.find_first_of("aeou") != std::string::npos;
  }
  std::string_view next_word() const {
    if (at_ >= text_.size()) return "";
    size_t end = at_ + 1;
    while (end < text_.size() && is_alnum(text_[end])) ++end;
    return text_.substr(at_ + 1, end - at_ - 1);
  }

  // The a of "for a sentence": between two words.
  bool is_article(size_t from) const {
    return from >= 2 && text_[from - 1] == ' ' && is_letter(text_[from - 2]) && peek() == ' ' && is_letter(peek(1)) &&
           is_letter(peek(2));
  }

  // A word as it is, with the spaces around it.
  std::string words(size_t from, std::string held) {
    if (peek() == '\'') held += run([](char c) { return c == '\'' || is_letter(c); });  // the norm's weight
    const bool before = from > 0 && text_[from - 1] == ' ', after = peek() == ' ';
    return fmt::format("\\text{{{}{}{}}}", before ? " " : "", held, after ? " " : "");
  }

  std::string_view text_;
  bool in_script_;
  size_t at_ = 0;
};

// Browsers do not break the line of a <math>. So it ends behind each comma or semicolon, and before and behind words,
// unless brackets are open.
std::string in_pieces(std::string_view latex) {
  std::string html, piece;
  int depth = 0;
  auto flush = [&] {
    if (piece.find_first_not_of(' ') != std::string::npos) html += mathml(piece, true) + " ";
    piece.clear();
  };
  constexpr std::string_view kText = "\\text{";
  for (size_t at = 0; at < latex.size();) {
    if (depth == 0 && latex.substr(at, kText.size()) == kText) {
      flush();
      const size_t end = latex.find('}', at);
      html += report::escaped(trimmed(std::string(latex.substr(at + kText.size(), end - at - kText.size()))));
      for (at = end + 1; at < latex.size() && std::string_view(",;:").find(latex[at]) != std::string_view::npos; ++at)
        html += latex[at];
      html += ' ';
      continue;
    }
    const char c = latex[at++];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    piece += c;
    if (depth == 0 && (c == ',' || c == ';') && at < latex.size() && latex[at] == ' ') flush();
  }
  flush();
  return html;
}

}  // namespace

std::string latex_of(std::string_view plain) {
  std::string latex = Plain(plain).read();
  constexpr std::string_view kTwice = " } \\text{ ";  // two words, each with its spaces
  for (size_t at; (at = latex.find(kTwice)) != std::string::npos;) latex.replace(at, kTwice.size(), " ");
  return latex;
}

std::string formula_html(std::string_view plain) {
  std::string html;
  while (!plain.empty()) {
    const size_t end = std::min(plain.find("  "), plain.size());
    std::string_view line = plain.substr(0, end);
    if (end < plain.size()) line.remove_suffix(1);  // the comma or semicolon before the two spaces
    html += "<p class=\"formula scroll\">" + in_pieces(latex_of(line)) + "</p>\n";
    plain.remove_prefix(std::min(plain.size(), end + 2));
  }
  return html;
}

}  // namespace heed::course
