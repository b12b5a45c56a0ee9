// heed course: the lessons as pages, from their READMEs and sources.
//
//   ./heed course                        out/course/index.html and a page for each lesson
//   ./heed course --chapter 12           one page alone, for whoever writes it
//   ./heed course --slides               slides of each chapter, too
//   ./heed course --no-solutions         for a class that hands in exercises
#include <fmt/format.h>

#include <string>
#include <vector>

#include "nn/io/file.h"
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
  course::SiteOptions site;
  std::string playground;
  bool without = false;
  options.flag("--slides", &site.slides,
               "slides of each chapter, too: NN_name_slides.html, with notes for the speaker");
  options.flag("--no-solutions", &without,
               "leave out the answers of the quiz and code that solves an exercise, for a class that hands them in");
  options
      .add("--with-playground", &playground,
           "put this page beside the others and link it: what ./heed course --playground --out F has built")
      .placeholder("F");
  options.parse(argc, argv);
  site.solutions = !without;

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
  site.only = only;
  if (!only) site.extra.push_back(museum_page());
  if (!playground.empty()) {
    if (only) throw InputError("course: --with-playground belongs to the whole course; got --chapter as well");
    site.playground_page = io::read_file(playground);
    if (site.playground_page.find("<title>heed playground") == std::string::npos)
      throw InputError(
          fmt::format("course: --with-playground must be a page that ./heed course --playground built; "
                      "got \"{}\"",
                      playground));
  }
  const std::vector<std::string> files = course::write_site(tree, folder, site);
  tell("{} page{}  {}/{}\n", files.size(), files.size() == 1 ? "" : "s", folder, only ? files.front() : "index.html");
  return 0;
}

}  // namespace heed::app
