// The tables "Equation -> file:line" of the lessons: a README names a file and words of one of its lines, and the
// course finds the number of that line. (What it refuses: course_test.cpp.)
#include <doctest/doctest.h>

#include <fstream>
#include <regex>

#include "tests/source_dir.h"
#include "tutorials/course/chapter.h"
#include "tutorials/report/page.h"

using namespace heed;
using namespace heed::course;

TEST_CASE("course: the line of each equation has the words that the chapter quotes") {
  static const std::regex form(
      "<tr id=\"equation-\\d+\">[\\s\\S]*?<td><code class=\"source\" title=\"([^\"]*)\">[^<]*?:(\\d+)</code></td>"
      "<td><code>([\\s\\S]*?)</code></td>\\s*</tr>"),
      tags("<[^>]*>");
  const Tree tree = Tree::at(source_dir());
  std::size_t rows = 0;
  for (const LessonFile& lesson : tree.lessons) {
    const Chapter chapter = chapter_of(tree, lesson, {});
    std::size_t in_chapter = 0;
    for (std::sregex_iterator at(chapter.body.begin(), chapter.body.end(), form), end; at != end; ++at, ++in_chapter) {
      std::ifstream file(source_dir() + "/" + (*at)[1].str());
      std::string line;
      for (int number = std::stoi((*at)[2].str()); number > 0; --number) REQUIRE(std::getline(file, line));
      const bool found = report::escaped(line).find(std::regex_replace((*at)[3].str(), tags, "")) != std::string::npos;
      CHECK_MESSAGE(found, (*at)[0].str());
    }
    CHECK_MESSAGE(in_chapter == chapter.equations.size(), lesson.name);
    rows += in_chapter;
  }
  CHECK(rows > 250);
}
