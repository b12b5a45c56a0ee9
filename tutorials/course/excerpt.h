// Code in a chapter: excerpts that are taken from the sources when the page is made, and their colours.
//
//   <!-- code: look.h "first words" .. "last words" -->
//
// The excerpt runs from the first line that contains the first words to the next line (it may be the same one) that
// contains the last words. So a chapter cannot quote a line that is no longer there: rendering fails instead.
#pragma once

#include <cstddef>
#include <string>

namespace heed::course {

struct CodeExcerpt {
  std::string file = {};            // as the directive names it, relative to the lesson's folder
  std::string code = {};            // without the indentation that all its lines share
  std::size_t first = 0, last = 0;  // lines, from 1
};

// `directive`: the text after "code:". `folder`: of the lesson, as a path to open. InputError "README.md:12: code: ..".
CodeExcerpt excerpt_of(const std::string& directive, const std::string& folder, const std::string& readme,
                       std::size_t line);

// The number of the only line of a file that contains the words: a README names a line by its words, and the page gets
// the number. InputError, as above, where no line or more than one contains them.
std::size_t only_line_with(const std::string& words, const std::string& file, const std::string& folder,
                           const std::string& readme, std::size_t line);

// Code as HTML, in which comments, strings and keywords are spans of the classes c, s and k. Languages: cpp (c, c++,
// h), python (py) and js; anything else is escaped and nothing more.
std::string highlighted(const std::string& code, const std::string& language);
std::string language_of(const std::string& path);  // by its ending: "cpp", "python", "js" or ""

}  // namespace heed::course
