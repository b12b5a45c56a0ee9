// A chapter as a page. A lesson writes its own when it has run, and needs no other part of the site for it (site.h).
#pragma once

#include <string>

#include "nn/io/json.h"
#include "tutorials/course/chapter.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/tree.h"

namespace heed::course {

std::string titled(const LessonFile& lesson);  // "04 · Softmax and masks"

// The page around the chapter, still without links to others. figures: null where none are measured.
Page page_around(const LessonFile& lesson, Chapter chapter, const Figures* figures);

// The page of a run: the chapter with the run's figures. "" where the source tree, or the lesson's README, is gone.
std::string run_page(const std::string& lesson, const io::Json& figures, bool shortened);

}  // namespace heed::course
