// heed course: the lessons as pages, from their READMEs and sources.
//
//   ./heed course                        out/course/index.html and a page for each lesson
//   ./heed course --chapter 12           one page alone, for whoever writes it
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tensor/error.h"
#include "tutorials/common/options.h"
#include "tutorials/course/site.h"

namespace heed::app {

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
  const std::vector<std::string> files = course::write_site(tree, folder, only);
  fmt::print("{} page{}  {}/{}\n", files.size(), files.size() == 1 ? "" : "s", folder,
             only ? files.front() : "index.html");
  return 0;
}

}  // namespace heed::app
