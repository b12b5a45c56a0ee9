// Regular expressions with classes of Unicode characters (\p{L} letters, \p{N} numbers, \s white space), in which the
// tokenizers of published models say where words end. PCRE2 does the work, in regex.cpp alone; a build on a system
// without it has regex_absent.cpp instead, and refuses the tokenizers that need an expression in one sentence.
#pragma once

#include <string>

#include "nn/text/aligned_text.h"

namespace heed::text {

// InputError for an expression that PCRE2 does not understand; the pattern throws one if a text takes too many steps
// (an expression can need more of them than the text has bytes, by any power).
Pattern regex(const std::string& expression);

}  // namespace heed::text
