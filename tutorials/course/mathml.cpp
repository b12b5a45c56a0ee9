// A recursive-descent parser that writes MathML as it reads:
//
//   row   := (atom script*)*                       until }, &, \\, \right, \end or the end
//   atom  := letter | number | sign | { row } | \command argument*
//   script:= _ argument | ^ argument | '
#include "tutorials/course/mathml.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "tutorials/course/html_text.h"

namespace heed::course {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

enum class Class { ordinary, function, limits, large, sign, space };
struct Atom {
  std::string mathml;
  Class kind = Class::ordinary;
};

constexpr const char* gap = "<mspace width=\"0.1667em\"></mspace>";

std::string sign(const std::string& text) { return "<mo stretchy=\"false\">" + text + "</mo>"; }

class Parser {
 public:
  explicit Parser(std::string_view latex) : s_(latex) {}

  std::string whole() {
    std::string body = row();
    if (at_ < s_.size())
      refuse(fmt::format("a formula must have a beginning for each end; got \"{}\" without one", here()));
    return body;
  }

 private:
  [[noreturn]] void refuse(const std::string& sentence) const {
    std::size_t line = 0;
    for (std::size_t i = 0; i < at_ && i < s_.size(); ++i) line += s_[i] == '\n';
    throw MathError("math: " + sentence, line);
  }

  std::string here() const {
    if (at_ >= s_.size()) return "the end";
    std::size_t end = at_ + 1;
    if (s_[at_] == '\\') {
      while (end < s_.size() && is_letter(s_[end])) ++end;
      if (end == at_ + 1 && end < s_.size()) ++end;
    }
    return std::string(s_.substr(at_, end - at_));
  }

  void skip_space() {
    while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == '\n' || s_[at_] == '\t' || s_[at_] == '\r')) ++at_;
  }
  bool starts(std::string_view what) const { return s_.substr(at_, what.size()) == what; }
  bool at_command(std::string_view name) const {
    return s_.substr(at_, 1) == "\\" && s_.substr(at_ + 1, name.size()) == name &&
           (at_ + 1 + name.size() >= s_.size() || !is_letter(s_[at_ + 1 + name.size()]));
  }
  bool at_end_of_row() const {
    return at_ >= s_.size() || s_[at_] == '}' || s_[at_] == '&' || starts("\\\\") || at_command("right") ||
           at_command("end");
  }

  std::string row() {
    std::string body;
    Class last = Class::space;
    for (skip_space(); !at_end_of_row(); skip_space()) {
      Atom next = scripted();
      bool is_name = next.kind == Class::function || next.kind == Class::limits;
      bool was_name = last == Class::function || last == Class::limits;
      bool opens = next.kind == Class::sign || next.kind == Class::space;
      if ((is_name && last == Class::ordinary) || (was_name && !opens)) body += gap;
      body += next.mathml;
      last = next.kind;
    }
    return body;
  }

  // An atom with what is above and below it.
  Atom scripted() {
    Atom base = atom();
    std::string below, above;
    for (skip_space(); at_ < s_.size(); skip_space()) {
      char c = s_[at_];
      if (c == '_') {
        ++at_;
        if (!below.empty()) refuse("a sign must have one subscript at most; got two");
        below = argument();
      } else if (c == '^') {
        ++at_;
        if (!above.empty() && above.find("′") == std::string::npos)
          refuse("a sign must have one superscript at most; got two");
        above += argument();
      } else if (c == '\'') {
        ++at_;
        above += "<mo>′</mo>";
      } else {
        break;
      }
    }
    bool limits = base.kind == Class::limits || base.kind == Class::large;
    const std::string tag = limits ? (below.empty()   ? "mover"
                                      : above.empty() ? "munder"
                                                      : "munderover")
                                   : (below.empty()   ? "msup"
                                      : above.empty() ? "msub"
                                                      : "msubsup");
    if (below.empty() && above.empty()) return base;
    auto one = [](const std::string& text) { return "<mrow>" + text + "</mrow>"; };
    std::string result =
        "<" + tag + ">" + base.mathml + (below.empty() ? "" : one(below)) + (above.empty() ? "" : one(above));
    return {result + "</" + tag + ">", base.kind};
  }

  // What follows _, ^ or a command: one atom, or a row in braces.
  std::string argument() {
    skip_space();
    if (at_ >= s_.size() || at_end_of_row()) refuse(fmt::format("an argument must follow; got \"{}\"", here()));
    if (s_[at_] == '{') return braces();
    return atom().mathml;
  }
  std::string braces() {
    skip_space();
    if (at_ >= s_.size() || s_[at_] != '{') refuse(fmt::format("an argument must be in braces; got \"{}\"", here()));
    ++at_;
    std::string body = row();
    if (at_ >= s_.size() || s_[at_] != '}') refuse(fmt::format("{{ must be closed by }}; got \"{}\"", here()));
    ++at_;
    return body;
  }
  // The characters between braces as they are.
  std::string raw_braces() {
    skip_space();
    if (at_ >= s_.size() || s_[at_] != '{') refuse(fmt::format("an argument must be in braces; got \"{}\"", here()));
    std::size_t end = s_.find('}', at_);
    if (end == std::string_view::npos) refuse("{ must be closed by }; got the end");
    std::string text(s_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return text;
  }

  Atom atom() {
    char c = s_[at_];
    if (c == '{') return {"<mrow>" + braces() + "</mrow>", Class::ordinary};
    if (c == '\\') return command();
    if (is_letter(c)) return ++at_, Atom{fmt::format("<mi>{}</mi>", c)};
    if (is_digit(c)) {
      std::size_t begin = at_;
      auto inside = [&](std::size_t i) { return i < s_.size() && is_digit(s_[i]); };
      while (inside(at_) ||
             (at_ < s_.size() && (s_[at_] == '.' || s_[at_] == ',') && inside(at_ + 1) && s_[at_] == '.'))
        ++at_;
      return {"<mn>" + std::string(s_.substr(begin, at_ - begin)) + "</mn>"};
    }
    ++at_;
    switch (c) {
      case '-':
        return {"<mo>−</mo>", Class::sign};
      case '*':
        return {"<mo>∗</mo>", Class::sign};
      case '<':
        return {"<mo>&lt;</mo>", Class::sign};
      case '>':
        return {"<mo>&gt;</mo>", Class::sign};
      case '~':
        return {"<mspace width=\"0.25em\"></mspace>", Class::space};
      case '/':
        return {"<mo lspace=\"0.1em\" rspace=\"0.1em\">/</mo>", Class::sign};
      case '|':
        return {"<mo stretchy=\"false\" lspace=\"0.1em\" rspace=\"0.1em\">|</mo>", Class::sign};
      case ')':
      case ']':
        return {sign(std::string(1, c)), Class::ordinary};
      case '+':
      case '=':
      case '(':
      case '[':
      case ',':
      case ';':
      case ':':
      case '!':
      case '.':
      case '?':
        return {sign(std::string(1, c)), Class::sign};
      default:
        break;
    }
    --at_;
    if (static_cast<unsigned char>(c) >= 0x80)
      refuse(
          "a formula must be in plain letters and LaTeX commands; got a character outside ASCII; hint: \\cdot, \\leq, "
          "\\text{..}");
    refuse(fmt::format("a sign must be one of the subset in tutorials/course/mathml.h; got \"{}\"", c));
  }

  Atom command() {
    const std::size_t begin = at_;
    std::string name = here().substr(1);
    at_ += 1 + name.size();
    if (name == "frac" || name == "dfrac" || name == "tfrac") {
      std::string over = braces(), under = braces();
      return {"<mfrac><mrow>" + over + "</mrow><mrow>" + under + "</mrow></mfrac>"};
    }
    if (name == "binom") {
      std::string over = braces(), under = braces();
      return {"<mrow><mo>(</mo><mfrac linethickness=\"0\"><mrow>" + over + "</mrow><mrow>" + under +
              "</mrow></mfrac><mo>)</mo></mrow>"};
    }
    if (name == "sqrt") return root();
    if (name == "text" || name == "mbox") return {"<mtext>" + spaced(raw_braces()) + "</mtext>"};
    if (name == "mathrm" || name == "mathit" || name == "mathsf" || name == "mathtt")
      return {"<mi mathvariant=\"normal\">" + escaped(raw_braces()) + "</mi>"};
    if (name == "operatorname")
      return {"<mi mathvariant=\"normal\">" + escaped(raw_braces()) + "</mi>", Class::function};
    if (name == "mathbf" || name == "mathcal" || name == "mathbb") return lettered(name);
    if (name == "left") return fenced();
    if (name == "big" || name == "Big" || name == "bigl" || name == "bigr" || name == "Bigl" || name == "Bigr") {
      const char* size = name[0] == 'b' ? "1.2em" : "1.8em";
      std::string mark = delimiter();
      return {fmt::format("<mo minsize=\"{}\" maxsize=\"{}\">{}</mo>", size, size, mark),
              mark == ")" || mark == "]" ? Class::ordinary : Class::sign};
    }
    if (name == "begin") return environment();
    if (name == "underbrace")
      return {"<munder accentunder=\"true\"><mrow>" + braces() + "</mrow><mo stretchy=\"true\">⏟</mo></munder>",
              Class::limits};
    if (name == "overbrace")
      return {"<mover accent=\"true\"><mrow>" + braces() + "</mrow><mo stretchy=\"true\">⏞</mo></mover>",
              Class::limits};
    static constexpr std::array<std::array<const char*, 2>, 7> spaces{{{",", "0.1667em"},
                                                                       {":", "0.2222em"},
                                                                       {";", "0.2778em"},
                                                                       {"!", "-0.1667em"},
                                                                       {" ", "0.25em"},
                                                                       {"quad", "1em"},
                                                                       {"qquad", "2em"}}};
    for (const auto& space : spaces) {
      if (name == space[0]) return {fmt::format("<mspace width=\"{}\"></mspace>", space[1]), Class::space};
    }
    MathSymbol known = math_symbol(name);
    switch (known.kind) {
      case MathSymbol::Kind::letter:
        return {"<mi>" + known.text + "</mi>"};
      case MathSymbol::Kind::sign:
        return {sign(known.text), Class::sign};
      case MathSymbol::Kind::large:
        return {"<mo>" + known.text + "</mo>", Class::large};
      case MathSymbol::Kind::function:
        if (name == "int") return {"<mo>∫</mo>", Class::space};
        return {"<mi mathvariant=\"normal\">" + known.text + "</mi>", Class::function};
      case MathSymbol::Kind::limits:
        return {"<mi mathvariant=\"normal\">" + known.text + "</mi>", Class::limits};
      case MathSymbol::Kind::accent:
        return {"<mover accent=\"true\"><mrow>" + argument() + "</mrow><mo stretchy=\"false\">" + known.text +
                "</mo></mover>"};
      case MathSymbol::Kind::stretched:
        return {"<mover accent=\"true\"><mrow>" + argument() + "</mrow><mo stretchy=\"true\">" + known.text +
                "</mo></mover>"};
      case MathSymbol::Kind::none:
        break;
    }
    at_ = begin;
    refuse(fmt::format("a command must be one of the subset in tutorials/course/mathml.h; got \"\\{}\"", name));
  }

  Atom root() {
    skip_space();
    if (at_ < s_.size() && s_[at_] == '[') {
      std::size_t end = s_.find(']', at_);
      if (end == std::string_view::npos) refuse("[ must be closed by ]; got the end");
      std::string degree = Parser(s_.substr(at_ + 1, end - at_ - 1)).whole();
      at_ = end + 1;
      return {"<mroot><mrow>" + braces() + "</mrow><mrow>" + degree + "</mrow></mroot>"};
    }
    return {"<msqrt>" + argument() + "</msqrt>"};
  }

  Atom lettered(const std::string& alphabet) {
    std::string text = raw_braces(), result;
    for (char c : text) {
      std::string letter = c == ' ' ? "" : math_letter(alphabet, c);
      if (letter.empty() && c != ' ') refuse(fmt::format("\\{} must hold plain letters; got \"{}\"", alphabet, text));
      result += letter;
    }
    return {"<mi>" + result + "</mi>"};
  }

  // MathML drops spaces at the ends of a text, LaTeX does not.
  static std::string spaced(const std::string& text) {
    std::string result = escaped(text);
    if (!result.empty() && result.front() == ' ') result = "\u00a0" + result.substr(1);
    if (!result.empty() && result.back() == ' ') result = result.substr(0, result.size() - 1) + "\u00a0";
    return result;
  }

  std::string delimiter() {
    skip_space();
    if (at_ >= s_.size()) refuse("a bracket must follow; got the end");
    std::string mark = here();
    at_ += mark.size();
    if (mark == ".") return "";
    if (mark == "(" || mark == ")" || mark == "[" || mark == "]" || mark == "|" || mark == "/") return mark;
    MathSymbol known = mark[0] == '\\' ? math_symbol(mark.substr(1)) : MathSymbol{};
    if (known.kind != MathSymbol::Kind::sign) refuse(fmt::format("a bracket must follow; got \"{}\"", mark));
    return known.text;
  }

  Atom fenced() {
    std::string open = delimiter(), body = row();
    if (!at_command("right")) refuse(fmt::format("\\left must be closed by \\right; got \"{}\"", here()));
    at_ += 6;
    std::string close = delimiter();
    auto mark = [](const std::string& text, const char* form) {
      return text.empty() ? "" : fmt::format("<mo fence=\"true\" stretchy=\"true\" form=\"{}\">{}</mo>", form, text);
    };
    return {"<mrow>" + mark(open, "prefix") + body + mark(close, "postfix") + "</mrow>"};
  }

  Atom environment() {
    const std::string name = raw_braces();
    std::string open, close;
    if (name == "pmatrix") open = "(", close = ")";
    if (name == "bmatrix") open = "[", close = "]";
    if (name == "vmatrix") open = close = "|";
    if (name == "cases") open = "{";
    bool aligned = name == "aligned";
    if (open.empty() && !aligned && name != "matrix")
      refuse(
          fmt::format("an environment must be pmatrix, bmatrix, vmatrix, matrix, aligned or cases; got \"{}\"", name));
    std::string rows, cells;
    for (std::size_t column = 0;; ++column) {
      std::string body = row();
      std::string side = aligned           ? (column % 2 == 0 ? " class=\"right\"" : " class=\"left\"")
                         : name == "cases" ? " class=\"left\""
                                           : "";
      cells +=
          "<mtd" + side + ">" + (aligned ? "<mstyle displaystyle=\"true\">" + body + "</mstyle>" : body) + "</mtd>";
      if (at_ < s_.size() && s_[at_] == '&') {
        ++at_;
        continue;
      }
      rows += "<mtr>" + cells + "</mtr>";
      cells.clear();
      if (starts("\\\\")) {
        at_ += 2;
        skip_space();
        if (at_command("end")) break;
        column = static_cast<std::size_t>(-1);
        continue;
      }
      break;
    }
    if (!at_command("end")) refuse(fmt::format("\\begin{{{}}} must have its \\end; got \"{}\"", name, here()));
    at_ += 4;
    if (std::string other = raw_braces(); other != name)
      refuse(fmt::format("\\begin{{{}}} must be closed by the same name; got \\end{{{}}}", name, other));
    auto fence = [](const std::string& text) {
      return text.empty() ? "" : "<mo fence=\"true\" stretchy=\"true\">" + text + "</mo>";
    };
    std::string kind = aligned ? " class=\"aligned\"" : "";
    return {"<mrow>" + fence(open) + "<mtable" + kind + ">" + rows + "</mtable>" + fence(close) + "</mrow>"};
  }

  std::string_view s_;
  std::size_t at_ = 0;
};

}  // namespace

std::string mathml(std::string_view latex, bool display) {
  std::string body = Parser(latex).whole();
  if (body.empty()) throw MathError("math: a formula must hold something; got nothing", 0);
  return fmt::format("<math display=\"{}\"><mrow>{}</mrow></math>", display ? "block" : "inline", body);
}

}  // namespace heed::course
