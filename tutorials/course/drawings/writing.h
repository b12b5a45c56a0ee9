// How wide a text is, and how x_t becomes SVG: no font is at hand where drawings are made, so a table of widths is.
//
// The widths are DejaVu Sans's, which is the widest of the fonts that a page asks for: what fits with them fits with
// the others.
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/drawings/canvas.h"

namespace heed::course {

// A piece of a text in one way of writing.
struct Run {
  std::string words;
  int level = 0;  // 1 raised, -1 lowered
  bool italic = false;
};
inline constexpr double kSmall = 0.77;  // size of a raised or lowered piece

// Splits "W_{hh} h_{t-1}" into runs. A text without _ or ^ that is not math, or one that is code,
// is one run.
std::vector<Run> runs_of(const std::string& text, const TextStyle& style);
double width_of(const std::string& text, const TextStyle& style);
// A letter that stands alone, so that it is a symbol, in a text that would not show it in italics: "g = 0.25", "i s".
// "a" may be the article.
bool has_unmarked_symbol(const std::string& text, const TextStyle& style);

std::string as_xml(const std::string& text);  // & < > " as XML wants them
std::string coordinate(double value);         // at most two decimals, none that are 0

}  // namespace heed::course
