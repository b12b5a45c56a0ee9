#include "tutorials/course/mathml.h"

#include <fmt/format.h>

#include "tutorials/course/mathml_parser.h"

namespace heed::course {

using Kind = MathAtom::Kind;

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr const char* gap = "<mspace width=\"0.1667em\"></mspace>";

}  // namespace

std::string math_sign(const std::string& text) { return "<mo stretchy=\"false\">" + text + "</mo>"; }

std::string MathParser::whole() {
  std::string body = row();
  if (at_ < s_.size())
    refuse(fmt::format("a formula must have a beginning for each end; got \"{}\" without one", here()));
  return body;
}

void MathParser::refuse(const std::string& sentence) const {
  std::size_t line = 0;
  for (std::size_t i = 0; i < at_ && i < s_.size(); ++i) line += s_[i] == '\n';
  throw MathError("math: " + sentence, line);
}

std::string MathParser::here() const {
  if (at_ >= s_.size()) return "the end";
  std::size_t end = at_ + 1;
  if (s_[at_] == '\\') {
    while (end < s_.size() && is_letter(s_[end])) ++end;
    if (end == at_ + 1 && end < s_.size()) ++end;
  }
  return std::string(s_.substr(at_, end - at_));
}

void MathParser::skip_space() {
  while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == '\n' || s_[at_] == '\t' || s_[at_] == '\r')) ++at_;
}

bool MathParser::at_command(std::string_view name) const {
  return s_.substr(at_, 1) == "\\" && s_.substr(at_ + 1, name.size()) == name &&
         (at_ + 1 + name.size() >= s_.size() || !is_letter(s_[at_ + 1 + name.size()]));
}

bool MathParser::at_end_of_row() const {
  return at_ >= s_.size() || s_[at_] == '}' || s_[at_] == '&' || starts("\\\\") || at_command("right") ||
         at_command("end");
}

std::string MathParser::row() {
  std::string body;
  Kind last = Kind::space;
  for (skip_space(); !at_end_of_row(); skip_space()) {
    MathAtom next = scripted();
    bool is_name = next.kind == Kind::function || next.kind == Kind::limits;
    bool was_name = last == Kind::function || last == Kind::limits;
    bool opens = next.kind == Kind::sign || next.kind == Kind::space;
    if ((is_name && last == Kind::ordinary) || (was_name && !opens)) body += gap;
    body += next.mathml;
    last = next.kind;
  }
  return body;
}

MathAtom MathParser::scripted() {
  MathAtom base = atom();
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
  bool limits = base.kind == Kind::limits || base.kind == Kind::large;
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

std::string MathParser::argument() {
  skip_space();
  if (at_ >= s_.size() || at_end_of_row()) refuse(fmt::format("an argument must follow; got \"{}\"", here()));
  if (s_[at_] == '{') return braces();
  return atom().mathml;
}

std::string MathParser::braces() {
  skip_space();
  if (at_ >= s_.size() || s_[at_] != '{') refuse(fmt::format("an argument must be in braces; got \"{}\"", here()));
  ++at_;
  std::string body = row();
  if (at_ >= s_.size() || s_[at_] != '}') refuse(fmt::format("{{ must be closed by }}; got \"{}\"", here()));
  ++at_;
  return body;
}

std::string MathParser::raw_braces() {
  skip_space();
  if (at_ >= s_.size() || s_[at_] != '{') refuse(fmt::format("an argument must be in braces; got \"{}\"", here()));
  std::size_t end = s_.find('}', at_);
  if (end == std::string_view::npos) refuse("{ must be closed by }; got the end");
  std::string text(s_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return text;
}

MathAtom MathParser::atom() {
  char c = s_[at_];
  if (c == '{') return {"<mrow>" + braces() + "</mrow>", Kind::ordinary};
  if (c == '\\') return command();
  if (is_letter(c)) return ++at_, MathAtom{fmt::format("<mi>{}</mi>", c)};
  if (is_digit(c)) {
    std::size_t begin = at_;
    auto inside = [&](std::size_t i) { return i < s_.size() && is_digit(s_[i]); };
    while (inside(at_) || (at_ < s_.size() && (s_[at_] == '.' || s_[at_] == ',') && inside(at_ + 1) && s_[at_] == '.'))
      ++at_;
    return {"<mn>" + std::string(s_.substr(begin, at_ - begin)) + "</mn>"};
  }
  ++at_;
  switch (c) {
    case '-':
      return {"<mo>−</mo>", Kind::sign};
    case '*':
      return {"<mo>∗</mo>", Kind::sign};
    case '<':
      return {"<mo>&lt;</mo>", Kind::sign};
    case '>':
      return {"<mo>&gt;</mo>", Kind::sign};
    case '~':
      return {"<mspace width=\"0.25em\"></mspace>", Kind::space};
    case '/':
      return {"<mo lspace=\"0.1em\" rspace=\"0.1em\">/</mo>", Kind::sign};
    case '|':
      return {"<mo stretchy=\"false\" lspace=\"0.1em\" rspace=\"0.1em\">|</mo>", Kind::sign};
    case ')':
    case ']':
      return {math_sign(std::string(1, c)), Kind::ordinary};
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
      return {math_sign(std::string(1, c)), Kind::sign};
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

std::string mathml(std::string_view latex, bool display) {
  std::string body = MathParser(latex).whole();
  if (body.empty()) throw MathError("math: a formula must hold something; got nothing", 0);
  return fmt::format("<math display=\"{}\"><mrow>{}</mrow></math>", display ? "block" : "inline", body);
}

}  // namespace heed::course
