// Formulas as the catalogue writes them, in letters of a keyboard, become LaTeX and so MathML (mathml.h):
//
//   e_ts = q_t . k_s / sqrt(K)        e_{ts} = q_{t} \cdot k_{s} / \sqrt{K}
//   u~ <- sum_(r >= s) w_r' |u|^2     \tilde{u} \leftarrow \sum_{r \ge s} w_{r'} |u|^{2}
//
// A letter is a letter, a name of the Greek alphabet its sign, a name before a bracket or an index a function; other
// words are words ("b of each head"). An index is a run of letters and digits, or what stands in brackets.
#pragma once

#include <string>
#include <string_view>

namespace heed::course {

std::string latex_of(std::string_view plain);

// The whole formula as paragraphs, one for each part that two spaces divide.
std::string formula_html(std::string_view plain);

}  // namespace heed::course
