// heed course: the lessons as pages, from their READMEs and sources.
//
//   ./heed course                        out/course/index.html and a page for each lesson
//   ./heed course --chapter 12           one page alone, for whoever writes it
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tensor/error.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/course/site.h"
#include "tutorials/museum/page.h"

namespace heed::app {
namespace {

course::ExtraPage museum_page() {
  const std::vector<museum::Exhibit>& all = museum::exhibits();
  course::ExtraPage extra{.page = {"museum.html", museum::page_of(all, false).html("index.html")},
                          .title = "The museum of bugs",
                          .what = fmt::format("{} mistakes in attention that were published or shipped, with the wrong "
                                              "numbers and the right ones.",
                                              all.size())};
  for (std::size_t i = 0; i < all.size(); ++i)  // the first panel says how to read the page
    extra.finds.push_back({all[i].title, fmt::format("panel-{}", i + 1), all[i].hidden});
  return extra;
}

}  // namespace

int course_main(int argc, char** argv) {
  std::string folder = "out/course", chapter;
  Options options("heed course",
                  "Writes the course as pages: a chapter for each lesson, an index, the glossary and the quiz.");
  options.add("--out", &folder, "folder that receives the pages; it keeps the results of one command")
      .placeholder("DIR");
  options.add("--chapter", &chapter, "write this chapter alone: its number or name").placeholder("NN");
  options.parse(argc, argv);

  const course::Tree tree = course::Tree::of_source();
  const course::LessonFile* only = nullptr;
  if (!chapter.empty()) {
    only = tree.lesson(chapter);
    if (!only) {
      std::vector<std::string> names;
      for (const course::LessonFile& lesson : tree.lessons) names.push_back(lesson.name);
      throw InputError(fmt::format("course: --chapter must be one of {}; got \"{}\"", fmt::join(names, ", "), chapter));
    }
  }
  std::vector<course::ExtraPage> extra;
  if (!only) extra.push_back(museum_page());
  const std::vector<std::string> files = course::write_site(tree, folder, only, extra);
  tell("{} page{}  {}/{}\n", files.size(), files.size() == 1 ? "" : "s", folder, only ? files.front() : "index.html");
  return 0;
}

}  // namespace heed::app
