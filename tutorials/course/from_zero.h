// The path from zero: some lessons in an order of their own, for readers who know no machine learning. Its page is
// tutorials/course/from_zero.md, whose table | [lesson](its README) | minutes | afterwards you can | is the path. In
// the browser its rows get boxes to tick, and its links lead to chapters whose "next" follows the path
// (page/from_zero.js).
#pragma once

#include <string>
#include <vector>

#include "tutorials/course/tree.h"

namespace heed::course {

struct PathStep {
  const LessonFile* lesson = nullptr;
  int minutes = 0;   // as the table says
  std::string then;  // what a reader can do afterwards
};
std::vector<PathStep> path_from_zero(const Tree& tree);  // empty if there is no such page

constexpr int kFirstExercise = 20;  // minutes
// Minutes for a chapter, by the rule that the page states; a multiple of 5.
int study_minutes(const std::string& readme);

// For the page of a lesson: where the path came from and leads to, as data for page/from_zero.js. "" beside the path.
std::string path_data(const std::vector<PathStep>& path, const LessonFile& lesson);

}  // namespace heed::course
