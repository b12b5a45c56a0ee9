// What begins with a backslash in a formula: fractions, roots, texts, alphabets, brackets, matrices, named signs.
#include <fmt/format.h>

#include <array>

#include "tutorials/course/html_text.h"
#include "tutorials/course/mathml_parser.h"

namespace heed::course {

using Kind = MathAtom::Kind;

namespace {

std::string spaced(const std::string& text) {
  std::string result = report::escaped(text);
  if (!result.empty() && result.front() == ' ') result = "\u00a0" + result.substr(1);
  if (!result.empty() && result.back() == ' ') result = result.substr(0, result.size() - 1) + "\u00a0";
  return result;
}

}  // namespace

MathAtom MathParser::command() {
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
    return {"<mi mathvariant=\"normal\">" + report::escaped(raw_braces()) + "</mi>"};
  if (name == "operatorname") {
    bool limits = starts("*");  // \operatorname*{..}
    at_ += limits;
    return {"<mi mathvariant=\"normal\">" + report::escaped(raw_braces()) + "</mi>",
            limits ? Kind::limits : Kind::function};
  }
  if (name == "mathbf" || name == "mathcal" || name == "mathbb") return lettered(name);
  if (name == "left") return fenced();
  if (name == "big" || name == "Big" || name == "bigl" || name == "bigr" || name == "Bigl" || name == "Bigr") {
    const char* size = name[0] == 'b' ? "1.2em" : "1.8em";
    std::string mark = delimiter();
    return {fmt::format("<mo minsize=\"{}\" maxsize=\"{}\">{}</mo>", size, size, mark),
            mark == ")" || mark == "]" ? Kind::ordinary : Kind::sign};
  }
  if (name == "begin") return environment();
  if (name == "underbrace")
    return {"<munder accentunder=\"true\"><mrow>" + braces() + "</mrow><mo stretchy=\"true\">⏟</mo></munder>",
            Kind::large};
  if (name == "overbrace")
    return {"<mover accent=\"true\"><mrow>" + braces() + "</mrow><mo stretchy=\"true\">⏞</mo></mover>", Kind::large};
  static constexpr std::array<std::array<const char*, 2>, 7> spaces{{{",", "0.1667em"},
                                                                     {":", "0.2222em"},
                                                                     {";", "0.2778em"},
                                                                     {"!", "-0.1667em"},
                                                                     {" ", "0.25em"},
                                                                     {"quad", "1em"},
                                                                     {"qquad", "2em"}}};
  for (const auto& space : spaces) {
    if (name == space[0]) return {fmt::format("<mspace width=\"{}\"></mspace>", space[1]), Kind::space};
  }
  MathSymbol known = math_symbol(name);
  switch (known.kind) {
    case MathSymbol::Kind::letter:
      return {"<mi>" + known.text + "</mi>"};
    case MathSymbol::Kind::sign:
      return {math_sign(known.text), Kind::sign};
    case MathSymbol::Kind::large:
      return {"<mo>" + known.text + "</mo>", Kind::large};
    case MathSymbol::Kind::function:
      if (name == "int") return {"<mo>∫</mo>", Kind::space};
      return {"<mi mathvariant=\"normal\">" + known.text + "</mi>", Kind::function};
    case MathSymbol::Kind::limits:
      return {"<mi mathvariant=\"normal\">" + known.text + "</mi>", Kind::limits};
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

MathAtom MathParser::root() {
  skip_space();
  if (at_ < s_.size() && s_[at_] == '[') {
    std::size_t end = s_.find(']', at_);
    if (end == std::string_view::npos) refuse("[ must be closed by ]; got the end");
    std::string degree = MathParser(s_.substr(at_ + 1, end - at_ - 1)).whole();
    at_ = end + 1;
    return {"<mroot><mrow>" + braces() + "</mrow><mrow>" + degree + "</mrow></mroot>"};
  }
  return {"<msqrt>" + argument() + "</msqrt>"};
}

MathAtom MathParser::lettered(const std::string& alphabet) {
  std::string text = raw_braces(), result;
  for (char c : text) {
    std::string letter = c == ' ' ? "" : math_letter(alphabet, c);
    if (letter.empty() && c != ' ') refuse(fmt::format("\\{} must hold plain letters; got \"{}\"", alphabet, text));
    result += letter;
  }
  return {"<mi>" + result + "</mi>"};
}

std::string MathParser::delimiter() {
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

MathAtom MathParser::fenced() {
  std::string open = delimiter(), body = row();
  if (!at_command("right")) refuse(fmt::format("\\left must be closed by \\right; got \"{}\"", here()));
  at_ += 6;
  std::string close = delimiter();
  auto mark = [](const std::string& text, const char* form) {
    return text.empty() ? "" : fmt::format("<mo fence=\"true\" stretchy=\"true\" form=\"{}\">{}</mo>", form, text);
  };
  return {"<mrow>" + mark(open, "prefix") + body + mark(close, "postfix") + "</mrow>"};
}

MathAtom MathParser::environment() {
  const std::string name = raw_braces();
  std::string open, close;
  if (name == "pmatrix") open = "(", close = ")";
  if (name == "bmatrix") open = "[", close = "]";
  if (name == "vmatrix") open = close = "|";
  if (name == "cases") open = "{";
  bool aligned = name == "aligned";
  if (open.empty() && !aligned && name != "matrix")
    refuse(fmt::format("an environment must be pmatrix, bmatrix, vmatrix, matrix, aligned or cases; got \"{}\"", name));
  std::string rows, cells;
  for (std::size_t column = 0;; ++column) {
    std::string body = row();
    std::string side = aligned           ? (column % 2 == 0 ? " class=\"right\"" : " class=\"left\"")
                       : name == "cases" ? " class=\"left\""
                                         : "";
    cells += "<mtd" + side + ">" + (aligned ? "<mstyle displaystyle=\"true\">" + body + "</mstyle>" : body) + "</mtd>";
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

}  // namespace heed::course
