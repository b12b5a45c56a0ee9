// What the search box of the index finds: headings, paragraphs that begin in bold, the glossary, the equations of the
// chapters with the line that computes them, the concepts of tutorials/map.md, the catalogue of attention, the pages
// beside the chapters, and the names that people type, those of what is not here too (search.md). An entry is
// [words, where it is, address, more words].
#include <fmt/format.h>

#include <sstream>

#include "nn/catalogue/catalogue.h"
#include "nn/io/file.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/lesson_page.h"
#include "tutorials/course/markdown.h"
#include "tutorials/course/site.h"

namespace heed::course {

using io::Json;

namespace {

constexpr const char* kTyped = "tutorials/course/search.md";

// "04", "24, 26" or "10 to 16": the first lesson of that list which exists.
const LessonFile* first_lesson(const Tree& tree, const std::string& numbers) {
  std::istringstream words(numbers);
  for (std::string word; words >> word;) {
    if (const LessonFile* lesson = word.size() >= 2 ? tree.lesson(word.substr(0, 2)) : nullptr) return lesson;
  }
  return nullptr;
}

class Entries {
 public:
  Entries(const Tree& tree, const std::vector<RenderedLesson>& lessons) : tree_(tree), lessons_(lessons) {}
  Json list = Json::array();

  void add(const std::string& words, const std::string& where, const std::string& href, const std::string& more) {
    list.push(Json::array({words, where, href, more}));
  }

  // The names of search.md: those of the first table lead to their page, those of the second to the nearest one.
  void add_typed() {
    if (!io::exists(tree_.root + "/" + kTyped)) return;
    bool here = true;
    for (const Node& node : parse_markdown(io::read_file(tree_.root + "/" + kTyped)).children) {
      if (node.tag == "h2") here = trimmed(plain_text(node)) == "Here";
      if (node.tag != "table") continue;
      for (const Node& row : node.children.at(1).children) {
        auto cell = [&](std::size_t k) { return trimmed(plain_text(row.children.at(k))); };
        const auto [href, place] = page_of(cell(1), row.children.at(1).line);
        add(cell(0), here ? place : "not here; the nearest: " + place, href, cell(2));
      }
    }
  }

  void add_catalogue() {
    for (const nn::CatalogueEntry& e : nn::catalogue()) {
      std::string name = e.name;
      std::replace(name.begin(), name.end(), '_', ' ');
      add(e.also.empty() ? name : fmt::format("{}: {}", name, fmt::join(e.also, ", ")), "catalogue, " + e.family,
          "entry_" + e.id + ".html", e.formula + "; " + e.paper);
    }
  }

 private:
  // "27", "26: Hide the future" (words of a bold paragraph) or "catalogue G4": its address and its name.
  std::pair<std::string, std::string> page_of(const std::string& words, std::size_t line) const {
    const std::size_t colon = words.find(": ");
    for (const RenderedLesson& one : lessons_) {
      const std::string file = one.lesson->name + ".html";
      if (words == one.lesson->number) return {file, titled(*one.lesson)};
      if (colon == std::string::npos || words.substr(0, colon) != one.lesson->number) continue;
      for (const BoldPoint& point : one.chapter.points)
        if (point.words == words.substr(colon + 2)) return {file + "#" + point.anchor, titled(*one.lesson)};
    }
    const std::string id = words.substr(words.rfind(' ') + 1);
    for (const nn::CatalogueEntry& e : nn::catalogue())
      if (words == "catalogue " + e.id && id == e.id) return {"entry_" + e.id + ".html", "catalogue, " + e.name};
    refuse_at(
        kTyped, line,
        fmt::format("search: a page is a lesson's number, \"NN: bold words\" or \"catalogue ID\"; got \"{}\"", words));
  }

  const Tree& tree_;
  const std::vector<RenderedLesson>& lessons_;
};

}  // namespace

Json search_entries(const Tree& tree, const std::vector<RenderedLesson>& lessons, bool playground,
                    const std::vector<ExtraPage>& extra) {
  Entries all(tree, lessons);
  for (const RenderedLesson& one : lessons) {
    const std::string file = one.lesson->name + ".html", where = titled(*one.lesson);
    all.add(one.lesson->title, "lesson " + one.lesson->number, file, one.lesson->question);
    for (const Heading& heading : one.chapter.headings) all.add(heading.text, where, file + "#" + heading.anchor, "");
    for (const BoldPoint& point : one.chapter.points)
      all.add(point.words, where, file + "#" + point.anchor, point.more);
    for (const EquationRow& row : one.chapter.equations)
      all.add(row.words, "equation; " + where, file + "#" + row.anchor, row.source);
  }
  for (const Term& term : tree.glossary.terms())
    all.add(term.name, "glossary", "glossary.html#" + term.anchor, term.plain);
  for (const MapRow& row : map_rows(tree)) {
    const LessonFile* lesson = first_lesson(tree, row.lessons);
    all.add(row.words, lesson ? "source; " + titled(*lesson) : "source", "map.html#" + row.anchor, row.files);
  }
  all.add_typed();
  all.add_catalogue();
  for (const ExtraPage& one : extra) {
    all.add(one.title, "page", one.page.file, one.what);
    for (const ExtraPage::Find& find : one.finds)
      all.add(find.words, one.title, one.page.file + "#" + find.anchor, find.more);
  }
  all.add("Playground", "page", playground ? "playground.html" : "index.html#more",
          "The engine itself in the browser: ./heed course --playground");
  return std::move(all.list);
}

}  // namespace heed::course
