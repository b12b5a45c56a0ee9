// The table "Equation -> file:line" of a chapter: | EQUATION | [FILE](path/to/FILE) | `words of its line` |. The page
// shows the number of the line that has these words, so that it is right when the source has changed.
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/markdown.h"

namespace heed::course {

// The words of an equation's row. A single letter is a symbol and becomes italic: "the fake: W s".
std::vector<Node> with_symbols(const std::vector<Node>& cell);

// Adds the number of the line with the row's words to the name in its link: look.h:36. Returns the path and number.
// folder: of the lesson, relative to the root. InputError with the README's line where a row is wrong.
std::string with_line(Node& row, const std::string& folder, const std::string& root, const std::string& readme);

}  // namespace heed::course
