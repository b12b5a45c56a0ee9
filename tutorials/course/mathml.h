// Formulas: a subset of LaTeX becomes MathML, which browsers draw without any script.
//
//   mathml("c_t = \\sum_s w_{ts} h_s", true)     // <math display="block" ..><mrow><msub><mi>c</mi><mi>t</mi></msub>..
//
// The subset:
//   letters, numbers, + - = < > / , . ! : ; | ( ) [ ] and '        _ and ^ with one sign or {..}
//   \frac{..}{..}  \sqrt{..}  \sqrt[n]{..}  \binom                 \sum \prod \int \max \min ..: limits below and above
//   \exp \log \tanh \softmax and other names; \operatorname{..}    Greek letters, relations, arrows, dots
//   \text{..}  \mathrm \mathbf \mathcal \mathbb                    \bar \hat \tilde \vec \dot \overline
//   \left( .. \right), \big(                                       \underbrace{..}_{..}  \overbrace{..}^{..}
//   \begin{pmatrix} .. & .. \\ .. \end{pmatrix}; also matrix, bmatrix, vmatrix, aligned, cases
// Whatever is outside it is refused in a sentence: a formula that silently lost a sign would be worse than none.
// MathML Core (W3C, 2023) has no mathvariant beside "normal", so bold and script letters are characters of their own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tensor/error.h"

namespace heed::course {

struct MathError : InputError {
  MathError(const std::string& sentence, std::size_t line_in_formula) : InputError(sentence), line(line_in_formula) {}
  std::size_t line;  // of the formula, from 0
};

// display: a formula on a line of its own. MathError where the LaTeX is wrong or outside the subset.
std::string mathml(std::string_view latex, bool display);

// The tables (mathml_symbols.cpp). "" where there is no such name, without its backslash.
struct MathSymbol {
  enum class Kind { none, letter, sign, large, function, limits, accent, stretched } kind = Kind::none;
  std::string text = {};  // what is shown
};
MathSymbol math_symbol(const std::string& name);
// A letter or digit in another alphabet: "mathbf", "mathcal", "mathbb"; "" where that alphabet has no such sign.
std::string math_letter(const std::string& alphabet, char letter);

}  // namespace heed::course
