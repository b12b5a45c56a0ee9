// Small helpers of the pages' HTML: escaping, names of headings, and errors that say where.
#pragma once

#include <cstddef>
#include <string>

#include "tutorials/report/page.h"

namespace heed::course {

// The name of a heading as GitHub makes it: lower case, letters, digits, - and _; spaces become -. Letters beyond ASCII
// are kept.
std::string anchor_of(const std::string& heading);

// InputError "tutorials/12_bahdanau/README.md:40: <sentence>".
[[noreturn]] void refuse_at(const std::string& file, std::size_t line, const std::string& sentence);

std::string trimmed(const std::string& text);

// `text` escaped, with what a line must not break in a <span class="unbroken">: a number and its %, numbers with /
// between them, 1e-8, an option of a command (core.js does the same).
std::string escaped_whole(const std::string& text);
std::string escaped_words(const std::string& text);  // and x_t and 4^4, which are no code, with <sub> and <sup>

}  // namespace heed::course
