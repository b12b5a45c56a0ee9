// The exercises of a lesson as the course's pages see them: what fills the gap of each solution
// (tutorials/common/exercise.h), which says how long an exercise takes, and what an edition without solutions must not
// show.
//
//   minutes = 10 + 2 * (lines of code that fill the gap), rounded to a multiple of 5
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/tree.h"

namespace heed::course {

struct ExerciseFile {
  std::string number = {}, title = {};   // "1", "heads": of the file 1_heads.cpp
  std::vector<std::string> filled = {};  // the lines of code in the gap, trimmed, without comments

  int minutes() const;
  // Does the text contain one of these lines? Only those of 30 characters and more count: `return y;` is in any code.
  bool is_shown_by(const std::string& text) const;
};

std::vector<ExerciseFile> exercises_of(const Tree& tree, const LessonFile& lesson);  // by their numbers

}  // namespace heed::course
