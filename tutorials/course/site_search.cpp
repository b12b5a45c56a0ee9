// What the search box of the index finds: headings, paragraphs that begin in bold, the glossary, the equations of the
// chapters with the line that computes them, and the concepts of tutorials/map.md. An entry is [words, where it is,
// address, more words].
#include <sstream>

#include "nn/io/file.h"
#include "tutorials/course/site.h"

namespace heed::course {

using io::Json;

namespace {

// "04", "24, 26" or "10 to 16": the first lesson of that list which exists.
const LessonFile* first_lesson(const Tree& tree, const std::string& numbers) {
  std::istringstream words(numbers);
  for (std::string word; words >> word;) {
    if (const LessonFile* lesson = word.size() >= 2 ? tree.lesson(word.substr(0, 2)) : nullptr) return lesson;
  }
  return nullptr;
}

std::string titled(const LessonFile& lesson) { return lesson.number + " · " + lesson.title; }

}  // namespace

Json search_entries(const Tree& tree, const std::vector<RenderedLesson>& lessons) {
  Json list = Json::array();
  auto add = [&](const std::string& words, const std::string& where, const std::string& href, const std::string& more) {
    list.push(Json::array({words, where, href, more}));
  };
  for (const RenderedLesson& one : lessons) {
    const std::string file = one.lesson->name + ".html", where = titled(*one.lesson);
    add(one.lesson->title, "lesson " + one.lesson->number, file, one.lesson->question);
    for (const Heading& heading : one.chapter.headings) add(heading.text, where, file + "#" + heading.anchor, "");
    for (const BoldPoint& point : one.chapter.points) add(point.words, where, file + "#" + point.anchor, point.more);
    for (const EquationRow& row : one.chapter.equations)
      add(row.words, "equation; " + where, file + "#" + row.anchor, row.source);
  }
  for (const Term& term : tree.glossary.terms()) add(term.name, "glossary", "glossary.html#" + term.anchor, term.plain);
  for (const MapRow& row : map_rows(tree)) {
    const LessonFile* lesson = first_lesson(tree, row.lessons);
    add(row.words, lesson ? "source; " + titled(*lesson) : "source", "map.html#" + row.anchor, row.files);
  }
  return list;
}

}  // namespace heed::course
