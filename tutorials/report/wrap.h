// Wraps text to the width of a terminal, in columns.
//
//   wrapped("  --heads N   ", "number of attention heads (1 to 1024; default 8)", 80)
//
// prints the text after `first`; further lines begin in the same column or, if that leaves fewer than 30 columns, in
// column 10. A word that is wider than a line gets a line of its own. Several spaces in a row, as inside a formula, are
// kept.
#pragma once

#include <string>
#include <string_view>

namespace heed::report {

std::string wrapped(std::string_view first, std::string_view text, int width);  // without a newline at the end

// Each line that is too wide, wrapped: below its first word or, where two spaces follow a label, below what follows
// them.
std::string folded(std::string_view text, int width);

}  // namespace heed::report
