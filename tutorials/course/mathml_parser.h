// The parser behind mathml.h: recursive descent, which writes MathML as it reads. mathml.cpp has rows, scripts and
// signs, mathml_commands.cpp what begins with a backslash.
//
// clang-format off
//   row    := (atom script*)*                until }, &, \\, \right, \end or the end
//   atom   := letter | number | sign | { row } | \command argument*
//   script := _ argument | ^ argument | '
// clang-format on
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tutorials/course/mathml.h"

namespace heed::course {

struct MathAtom {
  // ordinary: a letter, a number, something closed. function: a name such as log, beside which LaTeX leaves a gap.
  // limits: a name with its limits below. large: a sum. sign: a relation, an operator or an opening bracket.
  enum class Kind { ordinary, function, limits, large, sign, space };
  std::string mathml;
  Kind kind = Kind::ordinary;
};

class MathParser {
 public:
  explicit MathParser(std::string_view latex) : s_(latex) {}
  std::string whole();

 private:
  [[noreturn]] void refuse(const std::string& sentence) const;
  std::string here() const;  // what is read next, for error messages
  void skip_space();
  bool starts(std::string_view what) const { return s_.substr(at_, what.size()) == what; }
  bool at_command(std::string_view name) const;
  bool at_end_of_row() const;

  std::string row();
  MathAtom scripted();     // an atom with what is below and above it
  std::string argument();  // one atom, or a row in braces
  std::string braces();
  std::string raw_braces();  // the characters between braces as they are
  MathAtom atom();

  MathAtom command();
  MathAtom root();
  MathAtom lettered(const std::string& alphabet);
  std::string delimiter();
  MathAtom fenced();
  MathAtom environment();

  std::string_view s_;
  std::size_t at_ = 0;
};

std::string math_sign(const std::string& text);  // <mo>, which does not grow with its row

}  // namespace heed::course
