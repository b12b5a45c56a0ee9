#include "tutorials/course/lesson_page.h"

#include "nn/io/file.h"

namespace heed::course {

std::string titled(const LessonFile& lesson) { return lesson.number + " · " + lesson.title; }

Page page_around(const LessonFile& lesson, Chapter chapter, const Figures* figures) {
  Page page{.title = titled(lesson), .description = lesson.question, .body = std::move(chapter.body)};
  page.contents = std::move(chapter.headings);
  page.plays = std::move(chapter.plays);
  if (chapter.walks) page.scripts.emplace_back("course/walk.js");
  page.css_class = "lesson";
  if (figures) {
    page.kinds = figures->kinds;
    page.panels = figures->panels;
  }
  return page;
}

std::string run_page(const std::string& name, const io::Json& json, bool shortened) {
  const std::string root = source_root();
  if (!io::exists(root + "/tutorials/" + name + "/README.md")) return "";
  Tree tree = Tree::at(root);
  const LessonFile* lesson = tree.lesson(name);
  if (!lesson) return "";
  Figures figures = figures_of(json);
  Chapter chapter = chapter_of(tree, *lesson, {.figures = &figures, .linked = false, .shortened = shortened});
  return page_of(page_around(*lesson, std::move(chapter), &figures));
}

}  // namespace heed::course
